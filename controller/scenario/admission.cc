// Before a session is tried: what cancels the session, which dependencies are unmet, and which limits the
// session would pass.
#include <algorithm>

#include "controller/scenario/run.h"

namespace berth::placement {

using projections::LimitExcess;
using projections::SessionResult;
using projections::SessionRow;
using projections::SessionStatus;

bool is_live(const ScenarioSession& session) {
  return session.state != "PENDING" && session.state != "TERMINATED" && session.state != "CANCELLED" &&
         session.state != "ERROR";
}

std::string ScenarioRun::cancel_code(const ScenarioSession& session) const {
  const ScenarioGroup& group = *groups_.at(session.group);
  const SessionRow& row = *state_.sessions.find(session.key);
  if (session.attempts >= group.max_attempts) return "gave-up";
  const Duration age = scenario_.now - std::max(row.created_at, row.requeued_at);
  if (group.pending_timeout_s > 0 && age > group.pending_timeout_s * kSecond) return "pending-timeout";
  if (!session.cancel_on_dependency_failure) return "";
  for (const std::string& id : session.depends_on) {
    const SessionId& other = scenario_.sessions[index_.at(id)].key;
    if (projections::is_end(state_.sessions.find(other)->status) && !has_succeeded(other))
      return "dependency-failed";
  }
  return "";
}

bool ScenarioRun::has_succeeded(const SessionId& session) const {
  const SessionRow& row = *state_.sessions.find(session);
  return row.status == SessionStatus::kTerminated && row.result == SessionResult::kSuccess;
}

// Sets the dependencies of a session that has begun to wait. A request that can never be placed waits for
// nothing else.
void ScenarioRun::note_unmet(const ScenarioSession& session) {
  if (session.depends_on.empty() || session.fault.code != Code::kNone) return;
  SessionRow row = *state_.sessions.find(session.key);
  row.unmet.clear();
  for (const std::string& id : session.depends_on) {
    const SessionId& other = scenario_.sessions[index_.at(id)].key;
    if (!has_succeeded(other)) row.unmet.push_back(other);
  }
  state_.sessions.put(std::move(row));
}

std::vector<std::string> ScenarioRun::unmet_names(const SessionId& session) const {
  std::vector<std::string> names;
  for (const SessionId& id : state_.sessions.find(session)->unmet) names.push_back(by_key(id).id);
  return names;
}

// By scope as the file lists the limits. A held place counts as if its session stood there.
std::vector<LimitExcess> ScenarioRun::excess(const SessionId& session) const {
  const SessionRow& row = *state_.sessions.find(session);
  projections::UsageBook also = beside_;
  for (const SessionId& id : state_.reserved()) {
    const SessionRow& holder = *state_.sessions.find(id);
    also.place(*holder.owner, holder.spec->spec, 1);
  }
  std::vector<LimitExcess> all = projections::excess_when_placed(state_, *row.owner, row.spec->spec, &also);
  const auto place = [this](const LimitExcess& e) {
    return std::find_if(scenario_.limits.begin(), scenario_.limits.end(), [&e](const ScenarioLimit& limit) {
      return limit.scope == e.scope && limit.id == e.id;
    });
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const LimitExcess& a, const LimitExcess& b) { return place(a) < place(b); });
  return all;
}

}  // namespace berth::placement
