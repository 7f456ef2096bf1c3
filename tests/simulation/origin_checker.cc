// What nobody may have asked for: what the forger wrote, a key's second body, and what a clock or a limit
// does not allow.
#include "tests/simulation/checkers.h"
#include "tests/simulation/forger.h"

namespace berth::simulation {

// The forger cannot sign: a record of its is void for everybody.
bool JournalAuditor::is_forged(const v1::Record& record) const {
  for (const auto& event : record.events())
    if (event.trace() == kForged) return true;
  return false;
}

void JournalAuditor::check_origin(const v1::Event& e) {
  if (e.actor() == kForgedActor) fail("a forged request was believed");
  if (e.has_session_requested()) {
    const auto& name = e.session_requested().name();
    if (name.starts_with(kForged)) fail("a forged request was believed");
    if (name.starts_with("conflict")) fail("a key that was answered was used for another request");
  }
  if (e.has_agent_joined() && e.agent_joined().version() == kForged) fail("a forged join was believed");
  if (e.has_kernel_terminated() && e.kernel_terminated().message() == kForged)
    fail("a forged end was believed");
}

void JournalAuditor::check_timeout(const Session& session, const std::string& reason) {
  const bool waiting = reason == "pending-timeout";
  if (!waiting && reason != "batch-timeout") return;
  const std::int64_t ms = waiting ? session.spec.pending_timeout_ms() : session.spec.batch_timeout_ms();
  if (ms == 0) return fail("a session without a timeout ended by " + reason);
  if (time_ < (waiting ? session.requested : session.placed) + ms * kMillisecond)
    fail("a session ended by " + reason + " before its time");
}

// Of a user, those that hold slots. A place that was held before the limit was set stays its session's.
void JournalAuditor::check_limit(const Session& session, Offset decided_at) {
  const auto limit = most_sessions_.find(session.user);
  if (limit == most_sessions_.end() || session.spec.type() == v1::SYSTEM) return;
  if (decided_at < limit->second.set_at) return;
  std::int64_t holding = 0;
  for (const auto& [id, other] : sessions_)
    holding += other.user == session.user && !other.kernels.empty() ? 1 : 0;
  if (holding > limit->second.most) fail("more sessions of " + session.user + " hold slots than their limit");
}

}  // namespace berth::simulation
