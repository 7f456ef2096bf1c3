// The rows of a run: as the file has them, and as they follow from what passes decide and events end.
#include <algorithm>

#include "controller/scenario/rows.h"
#include "controller/scenario/run.h"

namespace berth::placement {

using projections::KernelRow;
using projections::SessionResult;
using projections::SessionRow;
using projections::SessionStatus;

namespace {

// The status of a session in the file. A session is RESERVED only with its places; the states of a restart
// have no status of their own.
SessionStatus status_in_file(const ScenarioSession& session) {
  if (session.state == "RESERVED" && session.placed.empty()) return SessionStatus::kScheduled;
  if (session.state == "RUNNING_DEGRADED") return SessionStatus::kRunning;
  for (int number = static_cast<int>(SessionStatus::kPending);
       number <= static_cast<int>(SessionStatus::kError); ++number) {
    const auto status = static_cast<SessionStatus>(number);
    if (session.state == projections::name_of(status)) return status;
  }
  return SessionStatus::kCreating;  // RESTARTING
}

bool has_slots(const SessionRow& row) {
  return !projections::is_waiting(row.status) && !projections::is_end(row.status);
}

}  // namespace

void ScenarioRun::load_rows() {
  for (const auto& [name, kind] : scenario_.slots) state_.slot_types.put(slot_type_row(name, kind));
  for (const ScenarioLimit& limit : scenario_.limits) state_.limits.put(limit_row(limit));
  for (const ScenarioUsage& usage : scenario_.usage) count_usage(usage, &beside_);
  for (std::size_t i = 0; i < scenario_.sessions.size(); ++i) load_session_row(i);
  for (const ScenarioSession& session : scenario_.sessions)
    if (state_.sessions.find(session.key)->status == SessionStatus::kPending) note_unmet(session);
}

// Kernels of a live session without a place count under limits beside the rows.
void ScenarioRun::load_session_row(std::size_t index) {
  ScenarioSession& session = scenario_.sessions[index];
  const SessionStatus status = status_in_file(session);
  if (projections::is_waiting(status)) find_fault(session);
  SessionRow row = session_row(state_, scenario_, session, index);
  row.status = status;
  row.result = session.result == "SUCCESS" ? SessionResult::kSuccess : SessionResult::kNone;
  if (has_slots(row)) {
    for (const ScenarioPlacement& placed : session.placed) {
      KernelRow kernel = kernel_row(row, kernel_number(session, placed.kernel));
      kernel.agent = placed.agent;
      row.kernel_ids.push_back(kernel.id);
      state_.kernels.put(std::move(kernel));
    }
    count_unplaced(row, 1);
  }
  state_.sessions.put(std::move(row));
}

void ScenarioRun::count_unplaced(const SessionRow& row, int sign) {
  const std::uint32_t count = projections::kernel_count(row.spec->spec);
  if (row.kernel_ids.size() == count) return;
  for (std::uint32_t number = 0; number < count; ++number) {
    const KernelRow kernel = kernel_row(row, number);
    if (std::find(row.kernel_ids.begin(), row.kernel_ids.end(), kernel.id) == row.kernel_ids.end())
      beside_.hold(*row.owner, kernel.role_spec(), sign);
  }
}

void ScenarioRun::put_status(const SessionId& session, SessionStatus status) {
  SessionRow row = *state_.sessions.find(session);
  row.status = status;
  state_.sessions.put(std::move(row));
}

void ScenarioRun::place_row(const SessionId& session, std::span<const KernelPlacement> kernels) {
  SessionRow row = *state_.sessions.find(session);
  std::uint32_t number = 0;
  for (const NamedPlacement& placed : cluster_.named(kernels)) {
    KernelRow kernel = kernel_row(row, number++);
    kernel.agent = std::string(placed.agent);
    row.kernel_ids.push_back(kernel.id);
    state_.kernels.put(std::move(kernel));
  }
  row.status = SessionStatus::kRunning;
  state_.sessions.put(std::move(row));
}

// All kernels of the session have ended.
void ScenarioRun::drop_kernels(SessionRow* row) {
  if (has_slots(*row)) count_unplaced(*row, -1);
  for (const KernelId& id : row->kernel_ids) state_.kernels.erase(id);
  row->kernel_ids.clear();
}

void ScenarioRun::end_row(const SessionId& session, SessionStatus status, SessionResult result) {
  SessionRow row = *state_.sessions.find(session);
  drop_kernels(&row);
  row.status = status;
  row.result = result;
  state_.sessions.put(std::move(row));
  if (!has_succeeded(session)) return;
  const std::set<SessionId> dependents = state_.dependents(session);
  for (const SessionId& id : dependents) {
    SessionRow dependent = *state_.sessions.find(id);
    std::erase(dependent.unmet, session);
    state_.sessions.put(std::move(dependent));
  }
}

void ScenarioRun::requeue_row(const SessionId& session) {
  SessionRow row = *state_.sessions.find(session);
  drop_kernels(&row);
  row.status = SessionStatus::kPending;
  row.requeued_at = scenario_.now;
  state_.sessions.put(std::move(row));
  note_unmet(by_key(session));
}

}  // namespace berth::placement
