#include "projections/automatic_folder.h"

#include <algorithm>

#include "projections/live_sessions.h"

namespace berth::projections {
namespace {

bool is_usable(const FolderRow& folder) {
  return folder.state == FolderState::kCreating || folder.state == FolderState::kReady;
}

bool has_volume(const State& state, const KernelRow& kernel, const VolumeId& volume) {
  const AgentRow* agent = state.agents.find(kernel.agent);
  return agent != nullptr && agent->has(volume);
}

// One of its kernels does.
bool stands_at(const State& state, const SessionRow& session, const VolumeId& volume) {
  return std::ranges::any_of(session.kernel_ids, [&](const KernelId& id) {
    const KernelRow* kernel = state.kernels.find(id);
    return kernel != nullptr && has_volume(state, *kernel, volume);
  });
}

}  // namespace

const char* name_of(AutomaticFolder folder) {
  constexpr const char* kNames[] = {nullptr, "mounted", "not-on-this-agent", "none", "refused"};
  return kNames[static_cast<std::size_t>(folder)];
}

const FolderRow* automatic_folder_of(const State& state, const SessionRow& session) {
  if (!session.spec || session.spec->spec.no_automatic_folder()) return nullptr;
  const FolderRow* folder = state.find_folder(session.owner->owner, kAutomaticFolder);
  if (folder == nullptr || !is_usable(*folder)) return nullptr;
  return folder->created_at <= session.scheduled_at ? folder : nullptr;
}

AutomaticFolder automatic_folder_in(const State& state, const SessionRow& session) {
  if (!session.spec || is_end(session.status)) return AutomaticFolder::kUnknown;
  if (session.spec->spec.no_automatic_folder()) return AutomaticFolder::kRefused;
  if (session.kernel_ids.empty()) return AutomaticFolder::kUnknown;
  const FolderRow* folder = automatic_folder_of(state, session);
  if (folder == nullptr) return AutomaticFolder::kNone;
  for (const KernelId& id : session.kernel_ids)
    if (const KernelRow* kernel = state.kernels.find(id);
        kernel != nullptr && !has_volume(state, *kernel, folder->volume))
      return AutomaticFolder::kNotOnThisAgent;
  return AutomaticFolder::kMounted;
}

std::set<SessionId> automatic_mounts_of(const State& state, const FolderRow& folder) {
  std::set<SessionId> found;
  if (!folder.is_automatic() || folder.user.empty()) return found;
  for (const SessionRow* session : live_sessions_of_owner(state, v1::DEFINITION_KIND_USER, folder.user))
    if (automatic_folder_of(state, *session) == &folder && stands_at(state, *session, folder.volume))
      found.insert(session->id);
  return found;
}

}  // namespace berth::projections
