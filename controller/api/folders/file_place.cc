#include "controller/api/folders/file_place.h"

#include "controller/api/map/folders/folder_lookup.h"

namespace berth::controller::api {
namespace {

using projections::AgentRow;
using projections::AgentState;
using projections::FolderAccess;
using projections::FolderRow;
using projections::State;

std::optional<Error> check_access(FolderAccess access, FolderAccess least, const FolderRow& folder) {
  if (access == FolderAccess::kNone)
    return make_error("folder-not-accessible",
                      "the files of folder " + folder.name + " are not shared with you",
                      "its owner shares it: berth folder share");
  if (access < least)
    return make_error("folder-read-only", "folder " + folder.name + " is shared with you to be read",
                      "its owner shares it for writing, too");
  return std::nullopt;
}

const AgentRow* agent_with(const State& state, const VolumeId& volume) {
  const auto can = [&](const AgentRow* agent) {
    return agent != nullptr && agent->state == AgentState::kAlive && agent->has(volume);
  };
  const auto* row = state.volumes.find(volume);
  if (row != nullptr && !row->agent.empty())
    if (const AgentRow* named = state.agents.find(row->agent); can(named)) return named;
  for (const std::string& name : state.agents.sorted_keys())
    if (const AgentRow* agent = state.agents.find(name); can(agent)) return agent;
  return nullptr;
}

}  // namespace

Result<FilePlace> find_files(const StateView& view, const Call& call, FolderAccess least) {
  const auto found = find_folder(view.state, call.caller, call.path[0]);
  if (!found.ok()) return found.error();
  const FolderRow& folder = **found;
  const FolderAccess access = access_of(actor_of(view.state, call.caller), folder);
  if (auto refused = check_access(access, least, folder)) return *refused;
  if (folder.state != projections::FolderState::kReady)
    return make_error("folder-not-ready", "folder " + folder.name + " is " + name_of(folder.state),
                      "files are reached in folders that are READY");
  const AgentRow* agent = agent_with(view.state, folder.volume);
  if (agent == nullptr)
    return make_error("volume-unavailable", "no agent that is ALIVE has the volume of folder " + folder.name,
                      "berth folder volumes names the agents that have it");
  return FilePlace{folder.id, folder.volume, agent->name, agent->address};
}

void with_files(const Services& services, const CallPtr& call, const Reply& reply, FolderAccess least,
                const std::function<void(const FilePlace&)>& go_on) {
  Result<FilePlace> place = make_error("internal-error", "no state");
  services.context.with_state([&](const StateView& view) { place = find_files(view, *call, least); });
  if (!place.ok()) return reply(problem_reply(to_problem(place.error()), *call));
  go_on(*place);
}

FilesQuestion question_of(const FilePlace& place, FileOperation operation, const v1::FileQuestion& question) {
  return {place.agent, place.address, to_path({place.volume, place.folder, operation, question})};
}

}  // namespace berth::controller::api
