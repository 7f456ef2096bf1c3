#include "controller/scenario/run.h"

#include <algorithm>

#include "controller/scenario/parse.h"
#include "controller/scenario/rows.h"
#include "controller/scenario/session_mix.h"

namespace berth::placement {

using projections::SessionResult;
using projections::SessionStatus;

namespace {

constexpr Duration kAvoidAfterFailure = kHour;  // now stands still in a scenario

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

ScenarioRun::ScenarioRun(Scenario& scenario, CustomPolicies* policies)
    : scenario_(scenario), cluster_(scenario.cluster) {
  cluster_.set_custom_policies(policies);
  for (std::size_t i = 0; i < scenario_.sessions.size(); ++i) {
    scenario_.sessions[i].key = key_of_index(i);
    index_[scenario_.sessions[i].id] = i;
  }
  for (const ScenarioGroup& group : scenario_.groups) {
    groups_[group.name] = &group;
    GroupPolicy policy = group.policy;
    policy.mix = session_mix(scenario_, group.name);
    cluster_.define_group(group.name, policy);
  }
  for (const AgentSpec& agent : scenario_.agents) cluster_.upsert_agent(agent);
  for (const ScenarioGroup& group : scenario_.groups) {
    cluster_.set_round_robin_index(group.name, group.round_robin_index);
    cluster_.set_fair_share(group.name, group.fair_share, day_of(scenario_.now));
  }
  load_rows();
  load_sessions();
}

ScenarioSession& ScenarioRun::by_key(const SessionId& key) { return scenario_.sessions[index_of_key(key)]; }
const ScenarioSession& ScenarioRun::by_key(const SessionId& key) const {
  return scenario_.sessions[index_of_key(key)];
}

void ScenarioRun::load_sessions() {
  for (ScenarioSession& session : scenario_.sessions) {
    if (session.state == "PENDING" || (session.state == "RESERVED" && !session.placed.empty())) {
      const Result<void> added = cluster_.add_pending(pending_spec(session));
      BERTH_CHECK(added.ok(), "groups and kernels were checked while reading");
      if (session.state == "RESERVED") hold_placed(session);
    } else if (is_live(session)) {
      hold_placed(session);
    }
  }
}

// Amounts of slots on devices are rounded down to the quantum, exactly; what cannot be asked for at all is a
// fault.
void ScenarioRun::find_fault(ScenarioSession& session) {
  if (!session.fault_slot.empty()) {
    session.fault = {Code::kUnknownSlot, kNoSlot};
    return;
  }
  for (ScenarioKernels& kernels : session.kernels) {
    for (auto& [name, amount] : kernels.slots) {
      const SlotAmount asked{*cluster_.find_slot(name), amount};
      const RequestFault fault = check_request(cluster_, session.group, std::span(&asked, 1));
      if (fault.code == Code::kInvalidAmount && fault.below > 0) amount = fault.below;
    }
    const std::vector<SlotAmount> slots = slot_amounts(cluster_, kernels.slots);
    const RequestFault fault = check_request(cluster_, session.group, slots);
    if (fault.code == Code::kNone || session.fault.code != Code::kNone) continue;
    session.fault = {fault.code, fault.slot};
    session.fault_slot = cluster_.slot_name(fault.slot);
  }
}

PendingSpec ScenarioRun::pending_spec(const ScenarioSession& session) const {
  PendingSpec spec;
  spec.id = session.key;
  spec.group = session.group;
  spec.created = session.created;
  spec.arrival = index_of_key(session.key);
  spec.priority = session.priority;
  spec.domain = session.domain;
  spec.project = session.project;
  spec.user = session.user;
  spec.mode = session.mode;
  spec.designated = session.designated;
  spec.session_group = session.session_group;
  for (const std::string& agent : session.failed_on)
    spec.failed_on.push_back({agent, scenario_.now + kAvoidAfterFailure});
  spec.job_priority = session.job_priority;
  spec.preemptible = session.preemptible;
  spec.system = session.type == "system";
  spec.retries = session.retries;
  spec.timeout_s = session.timeout_s;
  spec.wait_cause = session.fault;
  for (const ScenarioKernels& kernels : session.kernels) {
    KernelSpec kernel{{}, kernels.arch, kernels.count};
    if (session.fault.code == Code::kNone) kernel.slots = slot_amounts(cluster_, kernels.slots);
    spec.kernels.push_back(std::move(kernel));
  }
  return spec;
}

void ScenarioRun::run(int passes) {
  for (int number = 1; number <= passes; ++number) {
    passes_.emplace_back();
    cancel_what_is_over();
    set_holds();
    const PassOptions options{0xFFFFFFFFu, true, true, scenario_.now};
    for (const ScenarioGroup& group : scenario_.groups) pass(cluster_, group.name, options, *this);
    for (const PlacedLine& line : passes_.back().placed) {
      by_key(line.session->key).started = scenario_.now;
      tell_facts(*line.session);
    }
    happen(number);
    state_.commit();
  }
}

void ScenarioRun::cancel_what_is_over() {
  for (bool again = true; again;) {  // a cancelled session may take its dependents with it
    again = false;
    for (ScenarioSession& session : scenario_.sessions) {
      if (session.state != "PENDING") continue;
      const std::string code = cancel_code(session);
      if (code.empty()) continue;
      cluster_.remove_pending(session.key);
      session.state = code == "gave-up" ? "ERROR" : "CANCELLED";
      end_row(session.key, code == "gave-up" ? SessionStatus::kError : SessionStatus::kCancelled,
              SessionResult::kNone);
      passes_.back().cancelled.push_back({session.id, code});
      again = true;
    }
  }
}

void ScenarioRun::set_holds() {
  for (ScenarioSession& session : scenario_.sessions) {
    if (session.state != "PENDING" || session.fault.code != Code::kNone) continue;
    Reason hold;
    if (!state_.sessions.find(session.key)->unmet.empty()) hold.code = Code::kDependency;
    if (session.type == "batch" && session.start_time.value_or(scenario_.now) > scenario_.now)
      hold.code = Code::kStartTime;
    cluster_.set_wait_cause(session.key, hold);
  }
}

void ScenarioRun::happen(std::int64_t after_pass) {
  for (const ScenarioEvent& event : scenario_.events) {
    if (event.after_pass != after_pass) continue;
    ScenarioSession& session = by_id(event.end);
    const bool waited = cluster_.remove_pending(session.key);
    if (!waited && !is_live(session)) continue;
    cluster_.release(session.key);
    if (const auto held = elsewhere_.extract(session.id); !held.empty())
      cluster_.occupy_elsewhere(session.group, session.user, held.mapped(), -1);
    if (session.state == "RESCHEDULING") {  // it waits again, as it was asked for (PR18)
      session.state = "PENDING";
      session.waits_since = scenario_.now;
      session.started.reset();
      requeue_row(session.key);
      const Result<void> added = cluster_.add_pending(pending_spec(session));
      BERTH_CHECK(added.ok(), "it was added before");
      continue;
    }
    session.state = waited ? "CANCELLED" : "TERMINATED";
    end_row(session.key, waited ? SessionStatus::kCancelled : SessionStatus::kTerminated,
            event.result == "SUCCESS" ? SessionResult::kSuccess : SessionResult::kFailed);
  }
}

void ScenarioRun::placed(const SessionId& key, std::span<const KernelPlacement> kernels) {
  ScenarioSession& session = by_key(key);
  session.state = "RUNNING";
  place_row(key, kernels);
  passes_.back().order.push_back(session.id);
  passes_.back().placed.push_back({&session, {kernels.begin(), kernels.end()}});
}

void ScenarioRun::refused(const SessionId& key, Reason reason) {
  ScenarioSession& session = by_key(key);
  RefusedLine line;
  line.session = &session;
  line.reason = reason;
  line.slot =
      session.fault.code != Code::kNone ? session.fault_slot : std::string(cluster_.slot_name(reason.slot));
  line.why = why(cluster_, key);
  if (reason.code == Code::kBehindHead && !line.why.head.is_nil()) line.head = by_key(line.why.head).id;
  if (reason.code == Code::kLimit) {
    line.limits = excess(key);
    line.limits_text = projections::limits_text(state_, line.limits);
  }
  if (reason.code == Code::kDependency) line.unmet = unmet_names(key);
  passes_.back().order.push_back(session.id);
  passes_.back().refused.push_back(std::move(line));
}

Reason ScenarioRun::admit(const SessionId& key) {
  return excess(key).empty() ? Reason{} : Reason{Code::kLimit, kNoSlot};
}

}  // namespace berth::placement
