#include "controller/scenario/run.h"

#include "controller/scenario/parse.h"
#include "controller/scenario/rows.h"

namespace berth::placement {

using controller::PassDecision;
using projections::SessionResult;
using projections::SessionRow;
using projections::SessionStatus;

namespace {

SessionId key_of_index(std::size_t index) {
  SessionId key;
  for (std::size_t i = 0; i < 8; ++i) key.bytes[15 - i] = static_cast<std::uint8_t>(index >> (8 * i));
  key.bytes[0] = 1;  // never nil
  return key;
}

std::size_t index_of_key(const SessionId& key) {
  std::size_t index = 0;
  for (std::size_t i = 8; i < 16; ++i) index = index << 8 | key.bytes[i];
  return index;
}

}  // namespace

ScenarioRun::ScenarioRun(Scenario& scenario, CustomPolicies* policies) : scenario_(scenario) {
  for (std::size_t i = 0; i < scenario_.sessions.size(); ++i) {
    scenario_.sessions[i].key = key_of_index(i);
    index_[scenario_.sessions[i].id] = i;
  }
  for (const ScenarioGroup& group : scenario_.groups) groups_[group.name] = &group;
  feed_.set_custom_policies(policies);
  feed_.rebuild(state_, scenario_.now);
  state_.set_listener(&feed_);
  load_definitions();
  load_sessions();
  state_.commit();
}

const ScenarioSession& ScenarioRun::by_key(const SessionId& key) const {
  return scenario_.sessions[index_of_key(key)];
}

// Amounts of slots on devices are rounded down to the quantum, exactly. What cannot be asked for at all is a
// fault.
void ScenarioRun::find_fault(ScenarioSession& session) {
  if (!session.fault_slot.empty()) {
    session.fault = {Code::kUnknownSlot, kNoSlot};
    return;
  }
  const Cluster& cluster = feed_.cluster();
  for (ScenarioKernels& kernels : session.kernels) {
    for (auto& [name, amount] : kernels.slots) {
      const SlotAmount asked{*cluster.find_slot(name), amount};
      const RequestFault fault = check_request(cluster, session.group, std::span(&asked, 1));
      if (fault.code == Code::kInvalidAmount && fault.below > 0) amount = fault.below;
    }
    const std::vector<SlotAmount> slots = slot_amounts(cluster, kernels.slots);
    const RequestFault fault = check_request(cluster, session.group, slots);
    if (fault.code == Code::kNone || session.fault.code != Code::kNone) continue;
    session.fault = {fault.code, fault.slot};
    session.fault_slot = cluster.slot_name(fault.slot);
  }
}

void ScenarioRun::run(int passes) {
  for (int number = 1; number <= passes; ++number) {
    passes_.emplace_back();
    cancel_what_is_over();
    for (const ScenarioGroup& group : scenario_.groups) make_pass(group.name);
    happen(number);
    state_.commit();
  }
}

// As a leader makes a pass: rows follow when the pass is over.
void ScenarioRun::make_pass(const std::string& group) {
  feed_.lift_limits(state_);
  feed_.limits().begin_pass(state_);
  pass(feed_.cluster(), group, {0xFFFFFFFFu, true, true, scenario_.now}, *this);
  for (const PassDecision& decision : std::exchange(decisions_.all, {})) follow(decision);
}

void ScenarioRun::cancel_what_is_over() {
  for (bool again = true; again;) {  // a cancelled session may take its dependents with it
    again = false;
    for (const ScenarioSession& session : scenario_.sessions) {
      if (row_of(session.key).status != SessionStatus::kPending) continue;
      const berth::Code code = cancel_code(session);
      if (code.empty()) continue;
      end_session(session.key, code == "gave-up" ? SessionStatus::kError : SessionStatus::kCancelled,
                  SessionResult::kNone);
      passes_.back().cancelled.push_back({session.id, code});
      again = true;
    }
  }
}

void ScenarioRun::happen(std::int64_t after_pass) {
  for (const ScenarioEvent& event : scenario_.events) {
    if (event.after_pass != after_pass) continue;
    const SessionId key = scenario_.sessions[index_.at(event.end)].key;
    const SessionStatus status = row_of(key).status;
    if (status == SessionStatus::kRescheduling)
      requeue_session(key);  // the session waits again, as it was asked for (PR18)
    else if (projections::is_waiting(status))
      end_session(key, SessionStatus::kCancelled, SessionResult::kNone);
    else if (!projections::is_end(status))
      end_session(key, SessionStatus::kTerminated,
                  event.result == "SUCCESS" ? SessionResult::kSuccess : SessionResult::kFailed);
  }
}

void ScenarioRun::placed(const SessionId& key, std::span<const KernelPlacement> kernels) {
  decisions_.placed(key, kernels);
  passes_.back().order.push_back(by_key(key).id);
  passes_.back().placed.push_back({&by_key(key), {kernels.begin(), kernels.end()}});
}

void ScenarioRun::refused(const SessionId& key, Reason reason) {
  const ScenarioSession& session = by_key(key);
  RefusedLine line;
  line.session = &session;
  line.reason = reason;
  line.slot =
      session.fault.code != Code::kNone ? session.fault_slot : std::string(cluster().slot_name(reason.slot));
  line.why = why(feed_.cluster(), key);
  if (reason.code == Code::kBehindHead && !line.why.head.is_nil()) line.head = by_key(line.why.head).id;
  if (reason.code == Code::kLimit) {
    std::vector<projections::LimitExcess>& known = excess_[key];
    if (auto now = excess(key); !now.empty()) known = std::move(now);
    line.limits = known;
    line.limits_text = projections::limits_text(state_, line.limits);
  }
  if (reason.code == Code::kDependency) {
    for (const SessionId& id : row_of(key).unmet) line.unmet.push_back(by_key(id).id);
  }
  passes_.back().order.push_back(session.id);
  passes_.back().refused.push_back(std::move(line));
}

void ScenarioRun::preempted(const SessionId& victim, const SessionId& preemptor, PreemptMode mode) {
  decisions_.preempted(victim, preemptor, mode);
  passes_.back().preempted.push_back({by_key(victim).id, by_key(preemptor).id, mode});
}

// A session that gets a held place is considered, and neither placed nor refused.
void ScenarioRun::reserved(const SessionId& key, std::span<const KernelPlacement> kernels) {
  decisions_.reserved(key, kernels);
  passes_.back().order.push_back(by_key(key).id);
}

}  // namespace berth::placement
