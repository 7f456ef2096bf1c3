// Folders, and who makes and removes them (events/schema/v1/folder.proto draws their states).
#include <algorithm>

#include "events/base/name.h"
#include "events/codec/words/codes.h"
#include "projections/fold/event_context.h"
#include "projections/fold/net.h"

namespace berth::projections {
namespace {

constexpr const char* kUnknown = "there is no such folder";

const FolderRow* find(const State& state, const std::string& bytes) {
  const auto id = Uuid::from_bytes(bytes);
  return id ? state.folders.find(FolderId(*id)) : nullptr;
}

// Whoever makes and removes the volume's folders is told what is to be done.
void order(EventContext& c, const VolumeId& volume) {
  const VolumeRow* row = c.state.volumes.find(volume);
  if (row != nullptr && !row->agent.empty()) c.order_to(row->agent);
}

Forbidden check_owner(const State& state, const v1::Owner& owner) {
  if (owner.user().empty() == owner.project().empty())
    return "a folder of no user and no project, or of both";
  if (!owner.user().empty()) {
    const UserRow* user = state.users.find(owner.user());
    if (user == nullptr) return "a folder of a user that does not exist";
    return user->def.domain() == owner.domain() ? Forbidden() : "a folder of a user of another domain";
  }
  return state.projects.find(owner.domain() + "/" + owner.project()) != nullptr
             ? Forbidden()
             : "a folder of a project that does not exist";
}

Forbidden check_share(const State& state, const v1::FolderShared& e) {
  if (e.scope() == v1::SCOPE_KIND_USER)
    return state.users.find(e.id()) != nullptr ? Forbidden() : "a share with a user that does not exist";
  if (e.scope() == v1::SCOPE_KIND_PROJECT)
    return state.projects.find(e.id()) != nullptr ? Forbidden()
                                                  : "a share with a project that does not exist";
  return "a share with nobody";
}

// In `next`, if the folder exists and is in one of the states.
Forbidden change(EventContext& c, const std::string& folder, std::initializer_list<FolderState> from,
                 FolderRow& next) {
  const FolderRow* row = find(c.state, folder);
  if (row == nullptr) return kUnknown;
  if (std::ranges::find(from, row->state) == from.end())
    return std::string("a folder that is ") + name_of(row->state);
  next = *row;
  return {};
}

Forbidden put(EventContext& c, FolderRow row) {
  c.state.folders.put(std::move(row));
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

bool is_name_free(const State& state, const FolderRow& row, const std::string& name) {
  const FolderRow* other = state.find_folder(row.owner(), name);
  return other == nullptr || other->id == row.id;
}

}  // namespace

Forbidden apply(EventContext& c, const v1::FolderCreated& e) {
  const auto id = Uuid::from_bytes(e.folder());
  const auto volume = Uuid::from_bytes(e.volume());
  if (!id || id->is_nil() || !volume) return "a folder without an id or a volume";
  if (c.state.folders.find(FolderId(*id)) != nullptr) return "a folder that exists";
  if (c.state.volumes.find(VolumeId(*volume)) == nullptr) return "a folder on a volume that nobody has had";
  const bool automatic = e.name() == kAutomaticFolder && !e.owner().user().empty();
  if (!automatic && !is_valid_name(e.name())) return "a folder without a name";
  if (auto reason = check_owner(c.state, e.owner()); !reason.empty()) return reason;
  FolderRow row;
  row.id = FolderId(*id);
  row.name = e.name();
  row.domain = e.owner().domain();
  row.project = e.owner().project();
  row.user = e.owner().user();
  row.volume = VolumeId(*volume);
  row.created_at = c.time;
  if (!is_name_free(c.state, row, row.name)) return "a name that another folder of its owner has";
  order(c, row.volume);
  return put(c, std::move(row));
}

Forbidden apply(EventContext& c, const v1::FolderReady& e) {
  FolderRow row;
  if (auto reason = change(c, e.folder(), {FolderState::kCreating}, row); !reason.empty()) return reason;
  row.state = FolderState::kReady;
  return put(c, std::move(row));
}

Forbidden apply(EventContext& c, const v1::FolderFailed& e) {
  FolderRow row;
  if (auto reason = change(c, e.folder(), {FolderState::kCreating, FolderState::kPurging}, row);
      !reason.empty())
    return reason;
  if (row.state == FolderState::kCreating) row.state = FolderState::kFailed;
  row.code = code_of(e.code());
  row.message = e.message();
  return put(c, std::move(row));
}

Forbidden apply(EventContext& c, const v1::FolderRenamed& e) {
  FolderRow row;
  if (auto reason =
          change(c, e.folder(), {FolderState::kCreating, FolderState::kReady, FolderState::kTrashed}, row);
      !reason.empty())
    return reason;
  if (!is_valid_name(e.name())) return "a folder without a name";
  if (row.has_name() && !is_name_free(c.state, row, e.name()))
    return "a name that another folder of its owner has";
  row.name = e.name();
  return put(c, std::move(row));
}

Forbidden apply(EventContext& c, const v1::FolderTrashed& e) {
  FolderRow row;
  if (auto reason = change(c, e.folder(), {FolderState::kReady}, row); !reason.empty()) return reason;
  if (!c.state.mounted_by(row.id).empty()) return "a folder that sessions mount";
  row.state = FolderState::kTrashed;
  row.purge_at = e.purge_at_ns();
  return put(c, std::move(row));
}

Forbidden apply(EventContext& c, const v1::FolderRestored& e) {
  FolderRow row;
  if (auto reason = change(c, e.folder(), {FolderState::kTrashed}, row); !reason.empty()) return reason;
  if (!is_name_free(c.state, row, row.name)) return "a name that another folder of its owner has";
  row.state = FolderState::kReady;
  row.purge_at = 0;
  return put(c, std::move(row));
}

Forbidden apply(EventContext& c, const v1::FolderPurging& e) {
  FolderRow row;
  if (auto reason =
          change(c, e.folder(), {FolderState::kFailed, FolderState::kTrashed, FolderState::kPurging}, row);
      !reason.empty())
    return reason;
  row.state = FolderState::kPurging;
  row.purge_at = 0;
  row.code = {};
  row.message.clear();
  row.shares.clear();
  order(c, row.volume);
  return put(c, std::move(row));
}

Forbidden apply(EventContext& c, const v1::FolderPurged& e) {
  FolderRow row;
  if (auto reason = change(c, e.folder(), {FolderState::kPurging}, row); !reason.empty()) return reason;
  c.state.folders.erase(row.id);
  return {};
}

Forbidden apply(EventContext& c, const v1::FolderShared& e) {
  FolderRow row;
  if (auto reason =
          change(c, e.folder(), {FolderState::kCreating, FolderState::kReady, FolderState::kTrashed}, row);
      !reason.empty())
    return reason;
  const bool withdrawn = e.access() == "none";
  if (!withdrawn && e.access() != "read" && e.access() != "write") return "an access that does not exist";
  if (!withdrawn)
    if (auto reason = check_share(c.state, e); !reason.empty()) return reason;
  const FolderShare share{e.scope(), e.id(),
                          e.access() == "write" ? FolderAccess::kWrite : FolderAccess::kRead};
  const auto same = [&](const FolderShare& s) { return s.scope == share.scope && s.id == share.id; };
  std::erase_if(row.shares, same);
  if (!withdrawn) {
    if (row.shares.size() >= static_cast<std::size_t>(kFolderSharesMax)) return "too many shares of a folder";
    const auto at = std::ranges::find_if(row.shares, [&](const FolderShare& s) {
      return std::pair(s.scope, s.id) > std::pair(share.scope, share.id);
    });
    row.shares.insert(at, share);
  }
  return put(c, std::move(row));
}

// The agent is told all that is to be done: its predecessor may have done none of it.
Forbidden apply(EventContext& c, const v1::VolumeAgentNamed& e) {
  const auto id = Uuid::from_bytes(e.volume());
  const VolumeRow* known = id ? c.state.volumes.find(VolumeId(*id)) : nullptr;
  if (known == nullptr) return "a volume that nobody has had";
  const AgentRow* agent = c.state.agents.find(e.agent());
  if (agent == nullptr || !agent->has(known->id)) return "an agent that does not have the volume";
  VolumeRow row = *known;
  row.agent = e.agent();
  c.state.volumes.put(std::move(row));
  if (!c.state.folders_to_do(VolumeId(*id)).empty()) c.order_to(e.agent());
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

// With all its folders, whatever state each is in: their bytes are gone with the disk.
Forbidden apply(EventContext& c, const v1::VolumeForgotten& e) {
  const auto id = Uuid::from_bytes(e.volume());
  if (!id || c.state.volumes.find(VolumeId(*id)) == nullptr) return "a volume that nobody has had";
  std::vector<FolderId> lost;
  c.state.folders.for_each_unordered([&](const FolderRow& row) {
    if (row.volume == VolumeId(*id)) lost.push_back(row.id);
  });
  if (lost.size() != e.folders()) return "another number of folders than the volume has";
  std::ranges::sort(lost);
  for (const FolderId& folder : lost) {
    if (!c.state.mounted_by(folder).empty()) return "a folder that sessions mount";
    c.state.folders.erase(folder);
  }
  c.state.volumes.erase(VolumeId(*id));
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

void forget_shares(State& state, v1::ScopeKind scope, const std::string& id) {
  const auto is_with = [&](const FolderShare& share) { return share.scope == scope && share.id == id; };
  std::vector<FolderId> shared;
  state.folders.for_each_unordered([&](const FolderRow& row) {
    if (std::ranges::any_of(row.shares, is_with)) shared.push_back(row.id);
  });
  std::ranges::sort(shared);
  for (const FolderId& folder : shared) {
    FolderRow row = *state.folders.find(folder);
    std::erase_if(row.shares, is_with);
    state.folders.put(std::move(row));
  }
}

void forget_volume_agent(State& state, const std::string& agent) {
  for (const VolumeId& id : state.volumes.sorted_keys()) {
    VolumeRow row = *state.volumes.find(id);
    if (row.agent != agent) continue;
    row.agent.clear();
    state.volumes.put(std::move(row));
  }
}

}  // namespace berth::projections
