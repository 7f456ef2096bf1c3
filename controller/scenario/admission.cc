// Before a session is tried: what cancels it, what it depends on, and limits.
#include <algorithm>

#include "controller/scenario/run.h"

namespace berth::placement {

bool is_live(const ScenarioSession& session) {
  return session.state != "PENDING" && session.state != "TERMINATED" && session.state != "CANCELLED" &&
         session.state != "ERROR";
}

bool has_failed(const ScenarioSession& session) {
  if (session.state == "CANCELLED" || session.state == "ERROR") return true;
  return session.state == "TERMINATED" && session.result != "SUCCESS";
}

namespace {

// Absurd amounts wait; their sums stay within 64 bits.
void add_capped(Amount* sum, Amount amount, std::uint32_t count = 1) {
  const __int128 more = *sum + static_cast<__int128>(amount) * count;
  *sum = static_cast<Amount>(std::min<__int128>(more, kAmountMax));
}

}  // namespace

SlotTexts requested(const ScenarioSession& session) {
  SlotTexts sums;
  for (const ScenarioKernels& kernels : session.kernels) {
    for (const auto& [slot, amount] : kernels.slots) add_capped(&sums[slot], amount, kernels.count);
  }
  return sums;
}

std::string ScenarioRun::cancel_code(const ScenarioSession& session) const {
  const ScenarioGroup& group = *groups_.at(session.group);
  if (session.attempts >= group.max_attempts) return "gave-up";
  const Duration age = scenario_.now - std::max(session.created, session.waits_since);
  if (group.pending_timeout_s > 0 && age > group.pending_timeout_s * kSecond) return "pending-timeout";
  if (!session.cancel_on_dependency_failure) return "";
  for (const std::string& id : session.depends_on) {
    if (has_failed(scenario_.sessions[index_.at(id)])) return "dependency-failed";
  }
  return "";
}

std::vector<std::string> ScenarioRun::unmet_dependencies(const ScenarioSession& session) const {
  std::vector<std::string> unmet;
  for (const std::string& id : session.depends_on) {
    const ScenarioSession& other = scenario_.sessions[index_.at(id)];
    if (other.state != "TERMINATED" || other.result != "SUCCESS") unmet.push_back(id);
  }
  return unmet;
}

namespace {

bool in_scope(const ScenarioSession& session, const ScenarioScope& scope) {
  if (scope.scope == "domain") return session.domain == scope.id;
  if (scope.scope == "project") return session.project == scope.id;
  if (scope.scope == "user") return session.user == scope.id;
  return session.keypair == scope.id;
}

}  // namespace

// Every limit that this session would break now, and of each only the slots that do.
std::vector<LimitFailure> ScenarioRun::limit_failures(const ScenarioSession& session) const {
  std::vector<LimitFailure> failures;
  const SlotTexts asked = requested(session);
  for (const ScenarioLimit& limit : scenario_.limits) {
    if (!in_scope(session, limit)) continue;
    SlotTexts used;
    std::int64_t sessions = 0;
    std::int64_t system_sessions = 0;
    for (const ScenarioUsage& usage : scenario_.usage) {
      if (usage.scope != limit.scope || usage.id != limit.id) continue;
      for (const auto& [slot, amount] : usage.slots) add_capped(&used[slot], amount);
      sessions += usage.sessions;
    }
    for (const ScenarioSession& other : scenario_.sessions) {
      if (!is_live(other) || !in_scope(other, limit)) continue;
      for (const auto& [slot, amount] : requested(other)) add_capped(&used[slot], amount);
      ++(other.type == "system" ? system_sessions : sessions);
    }
    LimitFailure failure{limit.scope, limit.id, {}};
    const bool system = session.type == "system";
    const std::int64_t count = system ? system_sessions : sessions;
    const std::optional<std::int64_t>& most = system ? limit.system_sessions : limit.sessions;
    if (most && count + 1 > *most)
      failure.lines.push_back({system ? "system_sessions" : "sessions", count, 1, *most, true});
    for (const auto& [slot, amount] : asked) {
      if (amount == 0) continue;
      const auto listed = limit.slots.find(slot);
      if (listed == limit.slots.end() && !limit.unlisted_is_zero) continue;
      if (listed != limit.slots.end() && !listed->second) continue;
      const Amount allowed = listed == limit.slots.end() ? 0 : *listed->second;
      if (used[slot] + amount > allowed) failure.lines.push_back({slot, used[slot], amount, allowed, false});
    }
    if (!failure.lines.empty()) failures.push_back(std::move(failure));
  }
  return failures;
}

}  // namespace berth::placement
