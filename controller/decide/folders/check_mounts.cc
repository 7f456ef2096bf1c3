#include "controller/decide/folders/check_mounts.h"

#include <algorithm>
#include <set>

#include "controller/decide/check_actor.h"
#include "controller/decide/folders/automatic_folder.h"
#include "controller/decide/folders/folder_checks.h"
#include "events/base/name.h"
#include "events/base/text.h"

namespace berth::controller {
namespace {

using projections::Actor;
using projections::FolderAccess;
using projections::FolderRow;
using projections::FolderState;

// What Berth keeps for itself in a home: nothing is there yet, and no folder may be in its way.
constexpr std::string_view kReserved[] = {"berth"};

Refusal invalid_mount(std::string message, std::string hint) {
  return {"invalid-mount", std::move(message), std::move(hint)};
}

std::optional<Refusal> check_target(const std::string& target, std::set<std::string_view>& seen) {
  if (!is_valid_name(target))
    return invalid_mount(
        "'" + clipped(target) + "' is no name of a folder in a kernel's home",
        "letters, digits, - _ . ; begins with a letter or digit; at most " + std::to_string(kNameMax));
  if (std::ranges::find(kReserved, target) != std::end(kReserved))
    return invalid_mount("/home/work/" + target + " is Berth's own", "choose another target");
  if (!seen.insert(target).second)
    return invalid_mount("two folders are to be mounted at /home/work/" + target,
                         "give each a target of its own");
  return std::nullopt;
}

// What both the owner and whoever asks may do with it.
FolderAccess common_access(const DecisionContext& c, const Actor& owner, const FolderRow& folder) {
  const FolderAccess access = access_of(owner, folder);
  if (!c.actor || c.actor->user == owner.user) return access;
  return std::min(access, access_of(*c.actor, folder));
}

std::optional<Refusal> check_folder(const DecisionContext& c, const Actor& owner, const v1::Mount& mount) {
  const auto id = Uuid::from_bytes(mount.folder());
  const FolderRow* folder = id ? c.state.folders.find(FolderId(*id)) : nullptr;
  if (folder == nullptr || !projections::may_see_folder(c.actor ? *c.actor : owner, *folder))
    return unknown_folder();
  const FolderAccess access = common_access(c, owner, *folder);
  if (access == FolderAccess::kNone) return denied("folder " + folder->name + " is not shared with you");
  if (folder->is_automatic()) return is_automatic(*folder, "mounted elsewhere");
  if (folder->state != FolderState::kReady) return not_ready(*folder, "a folder that is READY is mounted");
  if (access >= FolderAccess::kWrite || mount.read_only()) return std::nullopt;
  return Refusal{"folder-read-only", "folder " + folder->name + " is shared with you for reading",
                 "mount it read-only"};
}

}  // namespace

std::optional<Refusal> check_mounts(const DecisionContext& c, const v1::Owner& owner,
                                    const v1::SessionSpec& spec) {
  if (spec.mounts().empty()) return std::nullopt;
  if (spec.mounts_size() > projections::kMountsMax)
    return invalid_mount("a session mounts at most " + std::to_string(projections::kMountsMax) + " folders",
                         "");
  std::set<std::string_view> seen;
  for (const v1::Mount& mount : spec.mounts())
    if (auto refusal = check_target(mount.target(), seen)) return refusal;
  const auto* user = c.state.users.find(owner.user());
  const Actor actor = user != nullptr ? projections::actor_of(user->def) : Actor();
  for (const v1::Mount& mount : spec.mounts())
    if (auto refusal = check_folder(c, actor, mount)) return refusal;
  return std::nullopt;
}

}  // namespace berth::controller
