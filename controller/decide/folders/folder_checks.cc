#include "controller/decide/folders/folder_checks.h"

#include "events/base/name.h"
#include "events/base/text.h"

namespace berth::controller {

using projections::FolderRow;

const FolderRow* find_seen_folder(const DecisionContext& c, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  const FolderRow* folder = id ? c.state.folders.find(FolderId(*id)) : nullptr;
  if (folder == nullptr || (c.actor && !projections::may_see_folder(*c.actor, *folder))) return nullptr;
  return folder;
}

Refusal unknown_folder() { return {"unknown-folder", "there is no such folder", "berth folder ls"}; }

bool may_manage(const DecisionContext& c, const FolderRow& folder, projections::Verb verb) {
  return !c.actor || projections::may_manage_folder(*c.actor, folder, verb);
}

std::optional<Refusal> check_folder_name(const std::string& name) {
  if (is_valid_name(name)) return std::nullopt;
  return Refusal{
      "invalid-name", "'" + clipped(name) + "' is no name for a folder",
      "letters, digits, - _ . ; begins with a letter or digit; at most " + std::to_string(kNameMax)};
}

std::optional<Refusal> check_name_free(const DecisionContext& c, const v1::Owner& owner,
                                       const std::string& name, const FolderId& but) {
  const FolderRow* other = c.state.find_folder(owner, name);
  if (other == nullptr || other->id == but) return std::nullopt;
  return Refusal{"folder-exists", "there is a folder " + name + " already",
                 other->state == projections::FolderState::kFailed
                     ? "it could not be made: remove it, or choose another name"
                     : "choose another name"};
}

Refusal not_ready(const FolderRow& folder, std::string hint) {
  return {"folder-not-ready", "folder " + folder.name + " is " + name_of(folder.state), std::move(hint)};
}

std::optional<Refusal> check_folder_count(const projections::State& state, const v1::Owner& owner) {
  if (state.folders_of(owner).size() < static_cast<std::size_t>(projections::kFoldersOfOwnerMax))
    return std::nullopt;
  return Refusal{"too-many-folders",
                 (owner.user().empty() ? "project " + owner.project() : "user " + owner.user()) + " has " +
                     std::to_string(projections::kFoldersOfOwnerMax) +
                     " folders, those in the trash among them",
                 "purge some first"};
}

std::optional<Refusal> check_volume_has_room(const projections::State& state, const VolumeId& volume) {
  if (state.folders_to_do(volume).size() < static_cast<std::size_t>(projections::kFoldersToDoMax))
    return std::nullopt;
  return Refusal{"volumes-busy",
                 "the folder's volume has " + std::to_string(projections::kFoldersToDoMax) +
                     " folders to make or remove already",
                 "ask again when its agent has done some of them"};
}

}  // namespace berth::controller
