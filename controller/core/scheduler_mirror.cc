#include "controller/core/scheduler_mirror.h"

namespace berth::controller {

using projections::AgentRow;
using projections::AgentState;
using projections::GroupRow;
using projections::KernelRow;
using projections::LimitRow;
using projections::SessionRow;
using projections::SessionStatus;
using projections::SlotTypeRow;
using projections::State;

std::uint32_t kernel_index(const v1::SessionSpec& spec, std::uint32_t role, std::uint32_t index) {
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < role; ++i) before += spec.roles(static_cast<int>(i)).count();
  return before + index - 1;
}

void SchedulerMirror::rebuild(const State& state, Timestamp now) {
  cluster_ = scheduler::Cluster();
  now_ = now;
  freed_ = false;
  lost_ = true;
  unreachable_.clear();
  limits_.clear();
  before_start_.clear();
  failed_dependencies_.clear();
  for (const auto& key : state.slot_types.sorted_keys()) on_slot_type(nullptr, state.slot_types.find(key));
  for (const auto& key : state.groups.sorted_keys()) on_group(nullptr, state.groups.find(key));
  for (const auto& key : state.agents.sorted_keys()) on_agent(nullptr, state.agents.find(key));
  for (const auto& key : state.kernels.sorted_keys()) on_kernel(nullptr, state.kernels.find(key));
  for (const auto& [created, id] : state.pending()) add_pending(*state.sessions.find(id));
  for (const auto& key : state.sessions.sorted_keys()) declare_end(*state.sessions.find(key));
  for (const auto& key : state.turns.sorted_keys())
    if (cluster_.has_group(key)) cluster_.set_round_robin_index(key, state.turns.find(key)->turn);
}

scheduler::SlotId SchedulerMirror::slot(const std::string& name) {
  if (const auto id = cluster_.find_slot(name)) return *id;
  return cluster_.define_slot(name, name == "mem" ? SlotKind::kBytes : SlotKind::kCount);
}

std::vector<scheduler::SlotAmount> SchedulerMirror::slots(const std::vector<projections::SlotAmount>& amounts) {
  std::vector<scheduler::SlotAmount> out;
  for (const auto& a : amounts) out.push_back({slot(a.slot), a.amount});
  return out;
}

void SchedulerMirror::need_group(const std::string& name) {
  if (!cluster_.has_group(name)) cluster_.define_group(name, scheduler::GroupPolicy{});
}

void SchedulerMirror::on_slot_type(const SlotTypeRow*, const SlotTypeRow* after) {
  if (after != nullptr) cluster_.define_slot(after->def.name(), static_cast<SlotKind>(after->def.kind()));
}

void SchedulerMirror::on_group(const GroupRow*, const GroupRow* after) {
  if (after == nullptr) return;
  scheduler::GroupPolicy policy;
  // Unknown names were refused where they were set (decide/define.cc): the defaults stand for a bug.
  scheduler::parse_order(after->def.order(), &policy.order);
  scheduler::parse_head_of_line(after->def.head_of_line(), &policy.head_of_line);
  scheduler::parse_select(after->def.select(), &policy.select);
  policy.skip_after = after->def.skip_after();
  if (after->def.slot_priority_size() > 0)
    policy.slot_priority.assign(after->def.slot_priority().begin(), after->def.slot_priority().end());
  for (const auto& d : after->def.devices()) {
    scheduler::SlotDevicePolicy entry{slot(d.slot()), {}};
    scheduler::parse_spread(d.spread(), &entry.policy.spread);
    entry.policy.quantum = std::max<Amount>(1, d.quantum());
    entry.policy.allow_fragments = d.allow_fragments();
    policy.devices.push_back(entry);
  }
  cluster_.define_group(after->def.name(), policy);
}

void SchedulerMirror::upsert(const AgentRow& row) {
  if (row.group.empty()) return;   // enrolled, never joined
  need_group(row.group);
  scheduler::AgentSpec spec;
  spec.id = row.name;
  spec.group = row.group;
  spec.arch = row.architecture;
  spec.slots = slots(row.slots);
  for (const auto& d : row.devices) spec.devices.push_back({d.id, d.numa, slots(d.slots), {}});
  if (row.max_containers != 0) spec.max_containers = row.max_containers;
  spec.schedulable = row.state == AgentState::kAlive && !unreachable_.contains(row.name);
  spec.draining = row.draining;
  cluster_.upsert_agent(spec);
}

void SchedulerMirror::on_agent(const AgentRow* before, const AgentRow* after) {
  if (after == nullptr) {
    if (before != nullptr) cluster_.remove_agent(before->name);
    return;
  }
  if (after->state == AgentState::kLost) lost_ = true;
  upsert(*after);
}

void SchedulerMirror::set_reachable(const std::string& agent, bool reachable) {
  if (reachable) unreachable_.erase(agent);
  else unreachable_.insert(agent);
  cluster_.set_agent_schedulable(agent, reachable);
}

// Reasons that the scheduler does not know (a failed start) count as none: the next pass records its own.
scheduler::Reason SchedulerMirror::recorded_reason(const SessionRow& row) {
  for (int code = 0; code <= static_cast<int>(scheduler::Code::kBehindHead); ++code)
    if (scheduler::to_string(static_cast<scheduler::Code>(code)) == row.reason_code)
      return {static_cast<scheduler::Code>(code), row.reason_slot.empty() ? scheduler::kNoSlot : slot(row.reason_slot)};
  return {};
}

void SchedulerMirror::add_pending(const SessionRow& row) {
  const auto& spec = row.spec->spec;
  need_group(spec.group());
  scheduler::PendingSpec pending;
  pending.id = row.id;
  pending.group = spec.group();
  pending.created = row.created_at;
  pending.arrival = row.created.epoch << 48 ^ row.created.sequence << 12 ^ row.created.index;
  pending.priority = spec.priority();
  pending.domain = row.owner->owner.domain();
  pending.project = row.owner->owner.project();
  pending.user = row.owner->owner.user();
  for (const auto& role : spec.roles()) {
    scheduler::KernelSpec kernel;
    for (const auto& s : role.slots()) kernel.slots.push_back({slot(s.slot()), s.amount()});
    kernel.arch = role.architecture().empty() ? spec.architecture() : role.architecture();
    kernel.count = role.count();
    pending.kernels.push_back(std::move(kernel));
  }
  pending.mode = spec.mode() == v1::MULTI_NODE ? scheduler::Mode::kMultiNode : scheduler::Mode::kSingleNode;
  pending.designated.agents.assign(spec.agents().begin(), spec.agents().end());
  pending.designated.strict = spec.agent_rule() != v1::AGENT_PREFERRED;
  pending.retries = row.retries;
  pending.timeout_s = static_cast<std::uint32_t>(std::min<std::int64_t>(spec.batch_timeout_ms() / 1000, UINT32_MAX));
  if (spec.type() == v1::BATCH && spec.start_time_ms() * kMillisecond > now_) before_start_.insert(row.id);
  pending.hold = hold_of(row);
  failed_dependencies_.insert(failed_dependencies_.end(), row.unmet.begin(), row.unmet.end());
  const auto added = cluster_.add_pending(pending);
  BERTH_CHECK(added.ok(), "an admitted session is one that the scheduler takes");
  if (!row.reason_code.empty()) cluster_.set_recorded_reason(row.id, recorded_reason(row));
}

void SchedulerMirror::on_session(const SessionRow* before, const SessionRow* after) {
  const bool was = before != nullptr && before->status == SessionStatus::kPending;
  const bool is = after != nullptr && after->status == SessionStatus::kPending;
  if (was && !is) {
    cluster_.remove_pending(before->id);
    before_start_.erase(before->id);
    limits_.forget(*before);
  } else if (is && !was) {
    add_pending(*after);
  } else if (is && before->unmet != after->unmet) {
    cluster_.set_hold(after->id, hold_of(*after));
  }
  if (before == nullptr || (after != nullptr && before->status == after->status)) return;
  if (after != nullptr) declare_end(*after);
  limits_.touch(*before->owner);
  if (after != nullptr && projections::is_end(after->status) && after->result != projections::SessionResult::kSuccess &&
      after->spec->spec.type() == v1::BATCH)
    failed_dependencies_.push_back(after->id);
}

// Order backfill counts on the end that a running session declared.
void SchedulerMirror::declare_end(const SessionRow& row) {
  const std::int64_t timeout = row.spec->spec.batch_timeout_ms();
  if (row.status == SessionStatus::kRunning && timeout > 0)
    cluster_.set_declared_end(row.id, row.running_at + timeout * kMillisecond);
}

void SchedulerMirror::on_limit(const LimitRow* before, const LimitRow* after) {
  limits_.touch((after != nullptr ? after : before)->key());
}

// Start time, then dependencies; limits are asked about when it would be tried.
scheduler::Reason SchedulerMirror::hold_of(const SessionRow& row) const {
  if (before_start_.contains(row.id)) return {scheduler::Code::kStartTime, scheduler::kNoSlot};
  if (!row.unmet.empty()) return {scheduler::Code::kDependency, scheduler::kNoSlot};
  return {};
}

void SchedulerMirror::start_time_reached(const SessionRow& row) {
  if (before_start_.erase(row.id) != 0) cluster_.set_hold(row.id, hold_of(row));
}

void SchedulerMirror::hold(const KernelRow& row) {
  std::vector<scheduler::SlotAmount> asked;
  for (const auto& s : row.role_spec().slots()) asked.push_back({slot(s.slot()), s.amount()});
  std::vector<scheduler::HeldDevice> devices;
  for (const auto& share : row.devices) devices.push_back({share.device, slot(share.slot), share.amount});
  const scheduler::HeldKernel kernel{kernel_index(row.spec->spec, row.role, row.index), row.agent, asked, devices};
  cluster_.hold(row.session, {&kernel, 1}, row.owner->owner.user());
}

void SchedulerMirror::on_kernel(const KernelRow* before, const KernelRow* after) {
  const bool held = before != nullptr && before->holds_slots();
  const bool holds = after != nullptr && after->holds_slots();
  if (!held && holds) {
    hold(*after);
  } else if (held && !holds) {
    cluster_.release(before->session, kernel_index(before->spec->spec, before->role, before->index));
    freed_ = true;
    limits_.touch(*before->owner);
  }
}

}  // namespace berth::controller
