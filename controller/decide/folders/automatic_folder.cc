#include "controller/decide/folders/automatic_folder.h"

#include "controller/decide/decide.h"
#include "controller/decide/folders/folder_checks.h"
#include "controller/decide/folders/volume_agent.h"

namespace berth::controller {
namespace {

using projections::FolderRow;
using projections::FolderState;
using projections::VolumeRow;

const VolumeRow* choose_volume(const projections::State& state) {
  const auto volumes = available_volumes(state);
  if (volumes.size() == 1) return volumes.front();
  const VolumeRow* chosen = nullptr;
  for (const VolumeRow* volume : volumes) {
    if (volume->name != projections::kAutomaticVolume) continue;
    if (chosen != nullptr) return nullptr;
    chosen = volume;
  }
  return chosen;
}

// As the owner of a folder, if the session's may have folders.
std::optional<v1::Owner> folder_owner(const projections::State& state, const v1::Owner& owner) {
  const auto* user = state.users.find(owner.user());
  if (user == nullptr) return std::nullopt;
  v1::Owner out;
  out.set_domain(user->def.domain());
  out.set_user(owner.user());
  if (!projections::may_create_folder(projections::actor_of(user->def), out)) return std::nullopt;
  return out;
}

// Follows from the request, as the ids of its sessions do.
FolderId derive_folder_id(const DecisionContext& c) {
  const std::string input =
      "automatic-folder:" + c.stamp.actor + '\0' + c.stamp.request_id + projections::to_string(c.position);
  return FolderId(Uuid::from_hash(blake2b_128(input)));
}

// No answer to the request: its sessions are.
DecisionContext without_answer(const DecisionContext& c) {
  DecisionContext own = c;
  own.stamp.request_id.clear();
  own.stamp.reason.clear();
  return own;
}

}  // namespace

void add_automatic_folder(const DecisionContext& c, const v1::Owner& owner, const v1::SessionSpec& spec,
                          EventList& events) {
  if (spec.no_automatic_folder() || owner.user().empty()) return;
  if (c.state.find_folder(owner, projections::kAutomaticFolder) != nullptr) return;
  const VolumeRow* volume = choose_volume(c.state);
  const auto owns = folder_owner(c.state, owner);
  if (volume == nullptr || !owns) return;
  if (check_folder_count(c.state, *owns) || check_volume_has_room(c.state, volume->id)) return;
  const FolderId id = derive_folder_id(c);
  if (c.state.folders.find(id) != nullptr) return;
  const DecisionContext own = without_answer(c);
  name_volume_agent(own, volume->id, events);
  auto* created = events.add(own.stamp).mutable_folder_created();
  created->set_folder(std::string(id.view()));
  created->set_name(projections::kAutomaticFolder);
  *created->mutable_owner() = *owns;
  created->set_volume(std::string(volume->id.view()));
}

Refusal is_automatic(const FolderRow& folder, const char* what) {
  return {"folder-automatic",
          "folder " + folder.name + " is for its owner's sessions alone, all of them: it is not " + what,
          "make a folder of your own for it: berth folder create"};
}

const FolderRow* find_automatic_alone(const projections::State& state, const v1::Owner& owner) {
  const auto& folders = state.folders_of(owner);
  if (folders.size() != 1) return nullptr;
  const FolderRow* folder = state.folders.find(*folders.begin());
  return folder->is_automatic() ? folder : nullptr;
}

Decision purge_before_removal(const DecisionContext& c, const FolderRow& folder) {
  const DecisionContext own = without_answer(c);
  EventList events;
  const bool is_told = folder.state == FolderState::kPurging && folder.code.empty();
  if (folder.state == FolderState::kReady) {
    auto* trashed = events.add(own.stamp).mutable_folder_trashed();
    trashed->set_folder(std::string(folder.id.view()));
    trashed->set_purge_at_ns(c.now + projections::kTrashKeptFor);
  }
  if (folder.state != FolderState::kCreating && !is_told) {
    EventList purging = purge_folder(own, folder);
    events.list().MergeFrom(purging.list());
  }
  return Deferred{
      Refusal{"folder-purging",
              "the automatic folder of user " + folder.user +
                  (folder.state == FolderState::kCreating ? " is being made" : " is being removed"),
              "ask again when its agent has done that"},
      std::move(events)};
}

}  // namespace berth::controller
