#include "projections/tables/state.h"

#include <algorithm>
#include <unordered_map>

namespace berth::projections {

void State::wire() {
  sessions.set_indexes(&indexes_);
  kernels.set_indexes(&indexes_);
  agents.set_indexes(&indexes_);
  requests.set_indexes(&indexes_);
  joins.set_indexes(&indexes_);
  folders.set_indexes(&indexes_);
}

const EpochRow& State::epoch() const {
  static const EpochRow kFresh;
  const EpochRow* row = epochs.find("epoch");
  return row != nullptr ? *row : kFresh;
}

std::uint64_t State::next_input(const std::string& partition) const {
  const InputRow* row = inputs.find(partition);
  return row != nullptr ? row->next : 0;
}

std::uint32_t State::next_attempt(const SessionRow& session) const {
  return std::max(session.attempt, kept().attempt_base) + 1;
}

const KeepingRow& State::kept() const {
  static const KeepingRow kNothing;
  const KeepingRow* row = keeping.find("keeping");
  return row != nullptr ? *row : kNothing;
}

const SessionRow* State::find_live(const std::string& user, const std::string& name) const {
  const auto it = indexes_.live_names.find(StateIndexes::live_name_key(user, name));
  return it == indexes_.live_names.end() ? nullptr : sessions.find(it->second);
}

const std::set<KernelId>& State::kernels_on(const std::string& agent) const {
  static const std::set<KernelId> kNone;
  const auto it = indexes_.kernels_on.find(agent);
  return it == indexes_.kernels_on.end() ? kNone : it->second;
}

const GroupSlots& State::group_slots(const std::string& group) const {
  static const GroupSlots kNone;
  const auto it = indexes_.group_slots.find(group);
  return it == indexes_.group_slots.end() ? kNone : it->second;
}

const std::set<SessionId>& State::dependents(const SessionId& session) const {
  static const std::set<SessionId> kNone;
  const auto it = indexes_.dependents.find(session);
  return it == indexes_.dependents.end() ? kNone : it->second;
}

namespace {

template <class Set, class Map, class Key> const Set& found_in(const Map& map, const Key& key) {
  static const Set kNone;
  const auto it = map.find(key);
  return it == map.end() ? kNone : it->second;
}

}  // namespace

const FolderRow* State::find_folder(const v1::Owner& owner, const std::string& name) const {
  const auto it =
      indexes_.folder_names.find(StateIndexes::live_name_key(StateIndexes::owner_key(owner), name));
  return it == indexes_.folder_names.end() ? nullptr : folders.find(it->second);
}

const std::set<FolderId>& State::folders_of(const v1::Owner& owner) const {
  return found_in<std::set<FolderId>>(indexes_.folders_of, StateIndexes::owner_key(owner));
}

const std::set<FolderId>& State::folders_to_do(const VolumeId& volume) const {
  return found_in<std::set<FolderId>>(indexes_.folders_to_do, volume);
}

const std::set<SessionId>& State::mounted_by(const FolderId& folder) const {
  return found_in<std::set<SessionId>>(indexes_.mounted_by, folder);
}

void State::commit() {
  each_table(*this, [](auto& table) { table.commit(); });
}

void State::rollback() {
  each_table(*this, [](auto& table) { table.rollback(); });
  indexes_.use_log.drop();
}

}  // namespace berth::projections
