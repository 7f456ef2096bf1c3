// The file as rows.
#include <algorithm>

#include "controller/scenario/parse.h"
#include "controller/scenario/rows.h"
#include "controller/scenario/run.h"

namespace berth::placement {

using projections::KernelRow;
using projections::SessionResult;
using projections::SessionRow;
using projections::SessionStatus;

namespace {

// The status of a session in the file. A session is RESERVED only with its places. The states of a restart
// have no status of their own.
SessionStatus status_in_file(const ScenarioSession& session) {
  if (session.state == "RESERVED" && session.placed.empty()) return SessionStatus::kScheduled;
  if (session.state == "RUNNING_DEGRADED") return SessionStatus::kRunning;
  constexpr auto kFirst = static_cast<int>(SessionStatus::kPending);
  for (int number = kFirst; number <= static_cast<int>(SessionStatus::kError); ++number) {
    const auto status = static_cast<SessionStatus>(number);
    if (session.state == projections::name_of(status)) return status;
  }
  return SessionStatus::kCreating;  // RESTARTING
}

std::vector<projections::DeviceShare> shares_of(const ScenarioPlacement& placed) {
  std::vector<projections::DeviceShare> shares;
  for (const auto& [device, amounts] : placed.devices) {
    for (const auto& [slot, amount] : amounts)
      shares.push_back({device, slot, std::min(amount, kHeldAmountMax)});
  }
  return shares;
}

bool fits_a_row(const AgentSpec& agent) {
  return agent.used.empty() && agent.containers == 0 && agent.max_containers > 0 &&
         std::all_of(agent.devices.begin(), agent.devices.end(),
                     [](const DeviceSpec& device) { return device.used.empty(); });
}

}  // namespace

// Slot types come first, in the order of the file: their ids are those of Scenario::slot_types. The feed
// reads turns only when it is rebuilt.
void ScenarioRun::load_definitions() {
  Cluster& cluster = feed_.cluster();
  for (const auto& [name, kind] : scenario_.slots) state_.slot_types.put(slot_type_row(name, kind));
  for (const ScenarioGroup& group : scenario_.groups) {
    state_.groups.put(group_row(scenario_, group));
    state_.learned.put(learned_row(scenario_, group));
  }
  for (const AgentSpec& agent : scenario_.agents) {
    state_.agents.put(agent_row(scenario_, agent));
    if (!fits_a_row(agent)) cluster.upsert_agent(agent);
  }
  for (const ScenarioGroup& group : scenario_.groups) {
    state_.turns.put({group.name, group.round_robin_index});
    cluster.set_round_robin_index(group.name, group.round_robin_index);
  }
  for (const ScenarioLimit& limit : scenario_.limits) state_.limits.put(limit_row(limit));
  for (const ScenarioUsage& usage : scenario_.usage) count_usage(usage, &feed_.limits().beside());
  tell_fair_share();
}

void ScenarioRun::load_sessions() {
  for (std::size_t i = 0; i < scenario_.sessions.size(); ++i) load_session(i);
  for (const ScenarioSession& session : scenario_.sessions)
    if (row_of(session.key).status == SessionStatus::kPending) note_unmet(session.key);
}

void ScenarioRun::load_session(std::size_t index) {
  ScenarioSession& session = scenario_.sessions[index];
  const SessionStatus status = status_in_file(session);
  if (projections::is_waiting(status)) find_fault(session);
  SessionRow row = session_row(state_, scenario_, session, index);
  row.status = status;
  row.terminating = status == SessionStatus::kTerminating;
  row.rescheduling = status == SessionStatus::kRescheduling;
  row.result = session.result == "SUCCESS" ? SessionResult::kSuccess : SessionResult::kNone;
  if (status == SessionStatus::kReserved) {
    for (const ScenarioPlacement& placed : session.placed) {
      const KernelRow kernel = kernel_row(row, kernel_number(session, placed.kernel));
      row.places.push_back({kernel.role, kernel.index, placed.agent, shares_of(placed)});
    }
  } else if (!projections::is_waiting(status) && !projections::is_end(status)) {
    load_kernels(session, &row);
  }
  if (session.fault.code != Code::kNone) {  // the cause comes before the held place
    row.status = SessionStatus::kPending;
    state_.sessions.put(row);
    feed_.cluster().set_wait_cause(session.key, session.fault);
    row.status = status;
    if (status == SessionStatus::kReserved) occupy_as_asked(session);
  }
  state_.sessions.put(row);
  if (session.timeout_s > 0 && !row.kernel_ids.empty()) {
    const Timestamp since = session.started.value_or(scenario_.now);
    feed_.cluster().set_declared_end(session.key, since + session.timeout_s * kSecond);
  }
}

void ScenarioRun::load_kernels(const ScenarioSession& session, SessionRow* row) {
  if (!fits_rows(session)) occupy_as_asked(session);
  for (const ScenarioPlacement& placed : session.placed) {
    KernelRow kernel = kernel_row(*row, kernel_number(session, placed.kernel));
    kernel.agent = placed.agent;
    kernel.devices = shares_of(placed);
    row->kernel_ids.push_back(kernel.id);
    state_.kernels.put(std::move(kernel));
  }
  count_unplaced(*row, 1);
}

}  // namespace berth::placement
