// The rows that follow from what a pass decides and from what ends. The feed tells the Cluster.
#include <set>

#include "controller/scenario/rows.h"
#include "controller/scenario/run.h"

namespace berth::placement {

using controller::PassDecision;
using projections::KernelRow;
using projections::SessionResult;
using projections::SessionRow;
using projections::SessionStatus;

namespace {

std::vector<projections::DeviceShare> shares_of(const NamedPlacement& placed) {
  std::vector<projections::DeviceShare> shares;
  for (const NamedShare& share : placed.devices)
    shares.push_back({std::string(share.device), std::string(share.slot), share.amount});
  return shares;
}

}  // namespace

// The Cluster keeps count of retries and turns itself.
void ScenarioRun::follow(const PassDecision& decision) {
  using What = PassDecision::What;
  if (decision.what == What::kPlaced) place_session(decision);
  if (decision.what == What::kReserved) reserve_session(decision);
  if (decision.what == What::kUnreserved) unreserve_session(decision.session);
}

void ScenarioRun::place_session(const PassDecision& decision) {
  SessionRow row = row_of(decision.session);
  row.status = SessionStatus::kRunning;
  row.scheduled_at = row.running_at = scenario_.now;
  row.places.clear();
  std::uint32_t number = 0;
  for (const NamedPlacement& placed : cluster().named(decision.kernels)) {
    KernelRow kernel = kernel_row(row, number++);
    kernel.agent = std::string(placed.agent);
    kernel.devices = shares_of(placed);
    row.kernel_ids.push_back(kernel.id);
    state_.kernels.put(std::move(kernel));
  }
  state_.sessions.put(std::move(row));
}

void ScenarioRun::reserve_session(const PassDecision& decision) {
  for (const SessionId& victim : decision.victims) preempt_session(victim, decision.mode);
  SessionRow row = row_of(decision.session);
  row.status = SessionStatus::kReserved;
  std::uint32_t number = 0;
  for (const NamedPlacement& placed : cluster().named(decision.kernels)) {
    const KernelRow kernel = kernel_row(row, number++);
    row.places.push_back({kernel.role, kernel.index, std::string(placed.agent), shares_of(placed)});
  }
  state_.sessions.put(std::move(row));
}

void ScenarioRun::unreserve_session(const SessionId& session) {
  SessionRow row = row_of(session);
  row.status = SessionStatus::kPending;
  row.places.clear();
  state_.sessions.put(std::move(row));
  note_unmet(session);
}

void ScenarioRun::preempt_session(const SessionId& session, PreemptMode mode) {
  SessionRow row = row_of(session);
  row.terminating = mode == PreemptMode::kTerminate;
  row.rescheduling = !row.terminating;
  row.status = row.terminating ? SessionStatus::kTerminating : SessionStatus::kRescheduling;
  state_.sessions.put(std::move(row));
}

void ScenarioRun::requeue_session(const SessionId& session) {
  SessionRow row = row_of(session);
  end_kernels(&row);
  row.status = SessionStatus::kPending;
  row.rescheduling = false;
  row.running_at = 0;
  row.requeued_at = scenario_.now;
  state_.sessions.put(std::move(row));
  note_unmet(session);
}

void ScenarioRun::end_session(const SessionId& session, SessionStatus status, SessionResult result) {
  SessionRow row = row_of(session);
  if (!projections::is_waiting(row.status)) end_kernels(&row);
  row.status = status;
  row.result = result;
  row.ended_at = scenario_.now;
  state_.sessions.put(std::move(row));
  if (!has_succeeded(session)) return;
  const std::set<SessionId> dependents = state_.dependents(session);
  for (const SessionId& id : dependents) {
    SessionRow dependent = row_of(id);
    std::erase(dependent.unmet, session);
    state_.sessions.put(std::move(dependent));
  }
}

// All kernels of a live session end.
void ScenarioRun::end_kernels(SessionRow* row) {
  count_unplaced(*row, -1);
  for (const KernelId& id : row->kernel_ids) state_.kernels.erase(id);
  row->kernel_ids.clear();
}

// Sets the dependencies of a session that has begun to wait. A request that can never be placed waits for
// nothing else.
void ScenarioRun::note_unmet(const SessionId& session) {
  const ScenarioSession& asked = by_key(session);
  if (asked.depends_on.empty() || asked.fault.code != Code::kNone) return;
  SessionRow row = row_of(session);
  row.unmet.clear();
  for (const std::string& id : asked.depends_on) {
    const SessionId& other = scenario_.sessions[index_.at(id)].key;
    if (!has_succeeded(other)) row.unmet.push_back(other);
  }
  state_.sessions.put(std::move(row));
}

}  // namespace berth::placement
