// A folder is renamed, thrown into the trash, taken out of it and removed for good. The last is its agent's:
// until that reports, the folder is PURGING.
#include <algorithm>

#include "controller/decide/check_actor.h"
#include "controller/decide/decide.h"
#include "controller/decide/folders/automatic_folder.h"
#include "controller/decide/folders/folder_checks.h"
#include "controller/decide/folders/volume_agent.h"
#include "events/base/text.h"
#include "projections/automatic_folder.h"

namespace berth::controller {
namespace {

using projections::FolderRow;
using projections::FolderState;
using projections::Noun;
using projections::SessionRow;
using projections::Verb;

constexpr std::size_t kSessionsNamed = 5;  // sessions in a message

Decision rename(const DecisionContext& c, const FolderRow& folder, const std::string& name) {
  if (folder.is_automatic()) return is_automatic(folder, "renamed");
  if (folder.state != FolderState::kCreating && folder.state != FolderState::kReady)
    return not_ready(folder, "a folder that is CREATING or READY is renamed");
  if (auto refusal = check_folder_name(name)) return *refusal;
  if (auto refusal = check_name_free(c, folder.owner(), name, folder.id)) return *refusal;
  EventList events;
  auto* renamed = events.add(c.stamp).mutable_folder_renamed();
  renamed->set_folder(std::string(folder.id.view()));
  renamed->set_name(name);
  return events;
}

// Sessions of others may mount it: whoever may not see them hears only how many these are.
Refusal mounted(const DecisionContext& c, const FolderRow& folder, const std::set<SessionId>& by) {
  std::vector<std::string> names;
  for (const SessionId& id : by) {
    const SessionRow* session = c.state.sessions.find(id);
    if (may_see(c, *session)) names.push_back("session " + clipped(session->name));
  }
  std::ranges::sort(names);
  const std::size_t unnamed = by.size() - names.size();
  return {"folder-mounted",
          "folder " + folder.name + " is mounted by " + listed(names, kSessionsNamed, unnamed),
          "end them first"};
}

Decision trash(const DecisionContext& c, const FolderRow& folder) {
  if (folder.state != FolderState::kReady) return not_ready(folder, "a folder that is READY is thrown away");
  const auto& by =
      folder.is_automatic() ? automatic_mounts_of(c.state, folder) : c.state.mounted_by(folder.id);
  if (!by.empty()) return mounted(c, folder, by);
  EventList events;
  auto* trashed = events.add(c.stamp).mutable_folder_trashed();
  trashed->set_folder(std::string(folder.id.view()));
  trashed->set_purge_at_ns(c.now + projections::kTrashKeptFor);
  return events;
}

Decision restore(const DecisionContext& c, const FolderRow& folder, const std::string& new_name) {
  if (folder.state != FolderState::kTrashed) return not_ready(folder, "a folder in the trash is restored");
  const std::string& name = new_name.empty() ? folder.name : new_name;
  if (folder.is_automatic() && name != folder.name) return is_automatic(folder, "renamed");
  if (auto refusal = folder.is_automatic() ? std::nullopt : check_folder_name(name)) return *refusal;
  if (auto refusal = check_name_free(c, folder.owner(), name, folder.id)) {
    refusal->hint = folder.is_automatic() ? "the newer one is the sessions' own now: throw it away first"
                                          : "restore it under another name";
    return *refusal;
  }
  EventList events;
  if (name != folder.name) {
    auto* renamed = events.add(c.stamp).mutable_folder_renamed();
    renamed->set_folder(std::string(folder.id.view()));
    renamed->set_name(name);
  }
  events.add(c.stamp).mutable_folder_restored()->set_folder(std::string(folder.id.view()));
  return events;
}

Decision purge(const DecisionContext& c, const FolderRow& folder) {
  const bool is_told_again = folder.state == FolderState::kPurging;
  if (!is_told_again && folder.state != FolderState::kTrashed && folder.state != FolderState::kFailed)
    return not_ready(folder, "throw it into the trash first");
  if (!is_told_again)
    if (auto refusal = check_volume_has_room(c.state, folder.volume)) return *refusal;
  return purge_folder(c, folder);
}

}  // namespace

EventList purge_folder(const DecisionContext& c, const FolderRow& folder) {
  EventList events;
  name_volume_agent(c, folder.volume, events);
  events.add(c.stamp).mutable_folder_purging()->set_folder(std::string(folder.id.view()));
  return events;
}

Decision decide(const DecisionContext& c, const v1::ChangeFolder& body) {
  const FolderRow* folder = find_seen_folder(c, body.folder());
  if (folder == nullptr) return unknown_folder();
  const Verb verb = body.change() == v1::FOLDER_RENAME ? Verb::kChange : Verb::kEnd;
  if (!may_manage(c, *folder, verb)) return denied("folder " + folder->name + " is not yours to change");
  switch (body.change()) {
    case v1::FOLDER_RENAME: return rename(c, *folder, body.name());
    case v1::FOLDER_TRASH: return trash(c, *folder);
    case v1::FOLDER_RESTORE: return restore(c, *folder, body.name());
    case v1::FOLDER_PURGE: return purge(c, *folder);
    default: break;
  }
  return Refusal{"invalid-value", "this controller does not know this change of a folder",
                 "is its sender newer than the controller?"};
}

}  // namespace berth::controller
