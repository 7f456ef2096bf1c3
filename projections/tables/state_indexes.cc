#include "projections/tables/state_indexes.h"

namespace berth::projections {
namespace {

template <class Map, class Key> void drop(Map& map, const Key& key, const FolderId& folder) {
  const auto it = map.find(key);
  if (it == map.end()) return;
  it->second.erase(folder);
  if (it->second.empty()) map.erase(it);
}

}  // namespace

// No domain, project or user has a "/" in its name, and a user stands for itself in any domain.
std::string StateIndexes::owner_key(const v1::Owner& owner) {
  return owner.user().empty() ? owner.domain() + "/" + owner.project() : owner.user();
}

std::string StateIndexes::live_name_key(const std::string& user, const std::string& name) {
  return user + '\0' + name;
}

// Most changes of a session touch none of the indexes, so each is compared first: no other function of the
// fold runs more often.
void StateIndexes::on_row(const SessionRow* before, const SessionRow* after) {
  follow_timers(before, after);
  use_log.on_row(before, after);
  const bool was_pending = before != nullptr && is_waiting(before->status);
  const bool is_pending = after != nullptr && is_waiting(after->status);
  if (was_pending && !is_pending) pending.erase({before->created, before->id});
  if (is_pending && !was_pending)
    pending.emplace_hint(pending.end(), after->created, after->id);  // mostly the newest
  if (before != nullptr && before->status == SessionStatus::kReserved) reserved.erase(before->id);
  if (after != nullptr && after->status == SessionStatus::kReserved) reserved.insert(after->id);
  if (was_pending && !before->unmet.empty()) follow_dependents(*before, false);
  if (is_pending && !after->unmet.empty()) follow_dependents(*after, true);
  const SessionUse use_before = use_of(before), use_after = use_of(after);
  if (use_before != use_after) {
    if (before != nullptr) usage.count(*before->owner, before->spec->spec, use_before, -1);
    if (after != nullptr) usage.count(*after->owner, after->spec->spec, use_after, 1);
  }
  const bool was_live = before != nullptr && !is_end(before->status);
  const bool is_live = after != nullptr && !is_end(after->status);
  if (before != nullptr && !was_live) ended.remove(before->ended_at, before->id);
  if (after != nullptr && !is_live) ended.insert(after->ended_at, after->id);
  if (was_live && !is_live) follow_mounts(*before, false);
  if (is_live && !was_live) follow_mounts(*after, true);
  if (was_live && !is_live) live_names.erase(live_name_key(before->owner->owner.user(), before->name));
  if (is_live && !was_live)
    live_names.insert_or_assign(live_name_key(after->owner->owner.user(), after->name), after->id);
}

void StateIndexes::follow_dependents(const SessionRow& session, bool add) {
  for (const SessionId& id : session.unmet) {
    if (add) {
      dependents[id].insert(session.id);
    } else if (const auto it = dependents.find(id); it != dependents.end()) {
      it->second.erase(session.id);
      if (it->second.empty()) dependents.erase(it);
    }
  }
}

void StateIndexes::follow_mounts(const SessionRow& session, bool add) {
  for (const auto& mount : session.spec->spec.mounts()) {
    const auto id = Uuid::from_bytes(mount.folder());
    if (!id) continue;
    const FolderId folder(*id);
    if (add) {
      mounted_by[folder].insert(session.id);
    } else if (const auto it = mounted_by.find(folder); it != mounted_by.end()) {
      it->second.erase(session.id);
      if (it->second.empty()) mounted_by.erase(it);
    }
  }
}

void StateIndexes::follow_timers(const SessionRow* before, const SessionRow* after) {
  const std::optional<Timer> old = before != nullptr ? timer_of(*before) : std::nullopt;
  const std::optional<Timer> now = after != nullptr ? timer_of(*after) : std::nullopt;
  if (old == now) return;
  if (old) timers.erase(*old);
  if (now) timers.emplace_hint(timers.end(), *now);
}

void StateIndexes::on_row(const AgentRow* before, const AgentRow* after) {
  use_log.on_row(before, after);
  if (before != nullptr && !before->group.empty()) group_slots[before->group].remove(*before);
  if (after != nullptr && !after->group.empty()) group_slots[after->group].add(*after);
}

void StateIndexes::on_row(const KernelRow* before, const KernelRow* after) {
  const bool held = before != nullptr && before->holds_slots();
  const bool holds = after != nullptr && after->holds_slots();
  if (held && !holds) {
    occupancy.remove(*before);
    usage.hold(*before->owner, before->role_spec(), -1);
    use_log.held(*before, false);
    kernels_on[before->agent].erase(before->id);
  } else if (!held && holds) {
    occupancy.add(*after);
    usage.hold(*after->owner, after->role_spec(), 1);
    use_log.held(*after, true);
    kernels_on[after->agent].insert(after->id);
  }
}

void StateIndexes::on_row(const RequestRow* before, const RequestRow* after) {
  if (before != nullptr) answered.remove(before->answered_at, before->key());
  if (after != nullptr) answered.insert(after->answered_at, after->key());
}

void StateIndexes::on_row(const JoinRow* before, const JoinRow* after) {
  if (before != nullptr) joined.remove(before->at, before->key());
  if (after != nullptr) joined.insert(after->at, after->key());
}

void StateIndexes::on_row(const FolderRow* before, const FolderRow* after) {
  if (before != nullptr) {
    const std::string owner = owner_key(before->owner());
    if (before->state == FolderState::kTrashed) trashed.remove(before->purge_at, before->id);
    if (before->has_name()) folder_names.erase(live_name_key(owner, before->name));
    drop(folders_of, owner, before->id);
    if (before->is_to_do()) drop(folders_to_do, before->volume, before->id);
  }
  if (after != nullptr) {
    const std::string owner = owner_key(after->owner());
    if (after->state == FolderState::kTrashed) trashed.insert(after->purge_at, after->id);
    if (after->has_name()) folder_names.insert_or_assign(live_name_key(owner, after->name), after->id);
    folders_of[owner].insert(after->id);
    if (after->is_to_do()) folders_to_do[after->volume].insert(after->id);
  }
}

}  // namespace berth::projections
