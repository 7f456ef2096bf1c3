#include "projections/tables/state.h"

#include <algorithm>

namespace berth::projections {
namespace {

std::string live_name_key(const std::string& user, const std::string& name) { return user + '\0' + name; }

}  // namespace

State::State() { wire(); }

State::State(const State& other)
    : sessions(other.sessions),
      kernels(other.kernels),
      agents(other.agents),
      order_cursors(other.order_cursors),
      requests(other.requests),
      slot_types(other.slot_types),
      groups(other.groups),
      domains(other.domains),
      projects(other.projects),
      users(other.users),
      key_pairs(other.key_pairs),
      images(other.images),
      epochs(other.epochs),
      inputs(other.inputs),
      quarantine(other.quarantine),
      limits(other.limits),
      presets(other.presets),
      turns(other.turns),
      day_usage(other.day_usage),
      class_counts(other.class_counts),
      mixes(other.mixes),
      learned(other.learned),
      occupancy_(other.occupancy_),
      usage_(other.usage_),
      group_slots_(other.group_slots_),
      timers_(other.timers_),
      ended_(other.ended_),
      answered_(other.answered_),
      pending_(other.pending_),
      reserved_(other.reserved_),
      live_names_(other.live_names_),
      dependents_(other.dependents_),
      kernels_on_(other.kernels_on_),
      specs_(other.specs_),
      owners_(other.owners_) {
  wire();
}

void State::wire() {
  sessions.set_on_change([this](const SessionRow* b, const SessionRow* a) { session_changed(b, a); });
  kernels.set_on_change([this](const KernelRow* b, const KernelRow* a) { kernel_changed(b, a); });
  agents.set_on_change([this](const AgentRow* b, const AgentRow* a) { agent_changed(b, a); });
  groups.set_on_change([this](const GroupRow* b, const GroupRow* a) {
    if (listener_) listener_->on_group(b, a);
  });
  slot_types.set_on_change([this](const SlotTypeRow* b, const SlotTypeRow* a) {
    if (listener_) listener_->on_slot_type(b, a);
  });
  limits.set_on_change([this](const LimitRow* b, const LimitRow* a) {
    if (listener_) listener_->on_limit(b, a);
  });
  day_usage.set_on_change([this](const DayUsageRow* b, const DayUsageRow* a) {
    if (listener_) listener_->on_day_usage(b, a);
  });
  mixes.set_on_change([this](const MixRow* b, const MixRow* a) {
    if (listener_) listener_->on_mix(b, a);
  });
  learned.set_on_change([this](const LearnedRow* b, const LearnedRow* a) {
    if (listener_) listener_->on_learned(b, a);
  });
  requests.set_on_change([this](const RequestRow* b, const RequestRow* a) {
    if (b != nullptr) answered_.remove(b->answered_at, b->key());
    if (a != nullptr) answered_.insert(a->answered_at, a->key());
  });
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

const SessionRow* State::find_live(const std::string& user, const std::string& name) const {
  const auto it = live_names_.find(live_name_key(user, name));
  return it == live_names_.end() ? nullptr : sessions.find(it->second);
}

const std::set<KernelId>& State::kernels_on(const std::string& agent) const {
  static const std::set<KernelId> kNone;
  const auto it = kernels_on_.find(agent);
  return it == kernels_on_.end() ? kNone : it->second;
}

const GroupSlots& State::group_slots(const std::string& group) const {
  static const GroupSlots kNone;
  const auto it = group_slots_.find(group);
  return it == group_slots_.end() ? kNone : it->second;
}

const std::set<SessionId>& State::dependents(const SessionId& session) const {
  static const std::set<SessionId> kNone;
  const auto it = dependents_.find(session);
  return it == dependents_.end() ? kNone : it->second;
}

SpecPtr State::share(const v1::SessionSpec& spec) {
  spec.SerializeToString(&scratch_);
  if (const auto it = specs_.find(scratch_); it != specs_.end()) return it->second;
  drop_unused_specs();
  auto shared = std::make_shared<SharedSpec>();
  shared->spec = spec;
  shared->bytes = canonical_bytes(spec);
  return specs_.emplace(scratch_, std::move(shared)).first->second;
}

OwnerPtr State::share(const v1::Owner& owner) {
  owner.SerializeToString(&scratch_);
  if (const auto it = owners_.find(scratch_); it != owners_.end()) return it->second;
  auto shared = std::make_shared<SharedOwner>();
  shared->owner = owner;
  shared->bytes = canonical_bytes(owner);
  shared->scopes = scopes_of(owner);
  return owners_.emplace(scratch_, std::move(shared)).first->second;
}

void State::drop_unused_specs() {
  if (specs_.size() < specs_limit_) return;
  std::erase_if(specs_, [](const auto& entry) { return entry.second.use_count() == 1; });
  std::erase_if(owners_, [](const auto& entry) { return entry.second.use_count() == 1; });
  specs_limit_ = std::max<std::size_t>(1024, 2 * specs_.size());
}

void State::finish_load() {
  for (const SessionId& id : sessions.sorted_keys()) {
    auto* row = const_cast<SessionRow*>(sessions.find(id));  // same value, shared storage: no change of state
    row->spec = share(row->spec->spec);
    row->owner = share(row->owner->owner);
    for (const KernelId& kernel : row->kernel_ids)
      if (auto* found = const_cast<KernelRow*>(kernels.find(kernel)))
        found->spec = row->spec, found->owner = row->owner;
  }
}

void State::commit() {
  each_table(*this, [](auto& table) { table.commit(); });
}

void State::rollback() {
  each_table(*this, [](auto& table) { table.rollback(); });
}

// Most changes of a session touch none of the indexes, so each is compared first: this is the hottest place
// of the fold.
void State::session_changed(const SessionRow* before, const SessionRow* after) {
  index_timers(before, after);
  const bool was_pending = before != nullptr && is_waiting(before->status);
  const bool is_pending = after != nullptr && is_waiting(after->status);
  if (was_pending && !is_pending) pending_.erase({before->created, before->id});
  if (is_pending && !was_pending)
    pending_.emplace_hint(pending_.end(), after->created, after->id);  // mostly the newest
  if (before != nullptr && before->status == SessionStatus::kReserved) reserved_.erase(before->id);
  if (after != nullptr && after->status == SessionStatus::kReserved) reserved_.insert(after->id);
  if (was_pending && !before->unmet.empty()) index_dependents(*before, false);
  if (is_pending && !after->unmet.empty()) index_dependents(*after, true);
  const SessionUse use_before = use_of(before), use_after = use_of(after);
  if (use_before != use_after) {
    if (before != nullptr) usage_.count(*before->owner, before->spec->spec, use_before, -1);
    if (after != nullptr) usage_.count(*after->owner, after->spec->spec, use_after, 1);
  }
  const bool was_live = before != nullptr && !is_end(before->status);
  const bool is_live = after != nullptr && !is_end(after->status);
  if (before != nullptr && !was_live) ended_.remove(before->ended_at, before->id);
  if (after != nullptr && !is_live) ended_.insert(after->ended_at, after->id);
  if (was_live && !is_live) live_names_.erase(live_name_key(before->owner->owner.user(), before->name));
  if (is_live && !was_live)
    live_names_.insert_or_assign(live_name_key(after->owner->owner.user(), after->name), after->id);
  if (listener_ != nullptr) listener_->on_session(before, after);
}

void State::index_dependents(const SessionRow& session, bool add) {
  for (const SessionId& id : session.unmet) {
    if (add) {
      dependents_[id].insert(session.id);
    } else if (const auto it = dependents_.find(id); it != dependents_.end()) {
      it->second.erase(session.id);
      if (it->second.empty()) dependents_.erase(it);
    }
  }
}

void State::index_timers(const SessionRow* before, const SessionRow* after) {
  const TimersOfSession old = before != nullptr ? timers_of(*before) : TimersOfSession();
  const TimersOfSession now = after != nullptr ? timers_of(*after) : TimersOfSession();
  if (old == now) return;
  for (const auto& timer : old)
    if (timer) timers_.erase(*timer);
  for (const auto& timer : now)
    if (timer) timers_.emplace_hint(timers_.end(), *timer);
}

void State::agent_changed(const AgentRow* before, const AgentRow* after) {
  if (before != nullptr && !before->group.empty()) group_slots_[before->group].remove(*before);
  if (after != nullptr && !after->group.empty()) group_slots_[after->group].add(*after);
  if (listener_ != nullptr) listener_->on_agent(before, after);
}

void State::kernel_changed(const KernelRow* before, const KernelRow* after) {
  const bool held = before != nullptr && before->holds_slots();
  const bool holds = after != nullptr && after->holds_slots();
  if (held && !holds) {
    occupancy_.remove(*before);
    usage_.hold(*before->owner, before->role_spec(), -1);
    kernels_on_[before->agent].erase(before->id);
  } else if (!held && holds) {
    occupancy_.add(*after);
    usage_.hold(*after->owner, after->role_spec(), 1);
    kernels_on_[after->agent].insert(after->id);
  }
  if (listener_ != nullptr) listener_->on_kernel(before, after);
}

}  // namespace berth::projections
