// What cancels a session before a pass, and the limits that a session would exceed.
#include <algorithm>

#include "controller/scenario/run.h"

namespace berth::placement {

using projections::LimitExcess;
using projections::SessionResult;
using projections::SessionRow;
using projections::SessionStatus;

berth::Code ScenarioRun::cancel_code(const ScenarioSession& session) const {
  const ScenarioGroup& group = *groups_.at(session.group);
  const SessionRow& row = row_of(session.key);
  if (session.attempts >= group.max_attempts) return "gave-up";
  const Duration age = scenario_.now - std::max(row.created_at, row.requeued_at);
  if (group.pending_timeout_s > 0 && age > group.pending_timeout_s * kSecond) return "pending-timeout";
  if (!session.cancel_on_dependency_failure) return {};
  for (const std::string& id : session.depends_on) {
    const SessionId& other = scenario_.sessions[index_.at(id)].key;
    if (projections::is_end(row_of(other).status) && !has_succeeded(other)) return "dependency-failed";
  }
  return {};
}

bool ScenarioRun::has_succeeded(const SessionId& session) const {
  const SessionRow& row = row_of(session);
  return row.status == SessionStatus::kTerminated && row.result == SessionResult::kSuccess;
}

// By scope as the file lists the limits.
std::vector<LimitExcess> ScenarioRun::excess(const SessionId& session) const {
  const SessionRow& row = row_of(session);
  std::vector<LimitExcess> all =
      projections::excess_when_placed(state_, *row.owner, row.spec->spec, &decisions_.limits.added());
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
