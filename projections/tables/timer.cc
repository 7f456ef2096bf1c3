#include "projections/tables/timer.h"

#include <algorithm>

namespace berth::projections {

Timestamp earliest_start(const SessionRow& session) {
  const auto& spec = session.spec->spec;
  const Timestamp asked = spec.type() == v1::BATCH ? spec.start_time_ms() * kMillisecond : 0;
  return std::max(asked, session.not_before);
}

TimersOfSession timers_of(const SessionRow& session) {
  TimersOfSession timers;
  const auto& spec = session.spec->spec;
  if (is_waiting(session.status)) {
    // Who ran and was put back has not waited all that time.
    const Timestamp since = std::max(session.created_at, session.requeued_at);
    if (spec.pending_timeout_ms() > 0)
      timers[0] = {since + spec.pending_timeout_ms() * kMillisecond, TimerKind::kPendingTimeout, session.id};
    if (const Timestamp start = earliest_start(session);
        session.status == SessionStatus::kPending && start > session.created_at)
      timers[1] = {start, TimerKind::kStartTime, session.id};
  } else if (session.status == SessionStatus::kRunning && spec.batch_timeout_ms() > 0) {
    timers[0] = {session.running_at + spec.batch_timeout_ms() * kMillisecond, TimerKind::kBatchTimeout,
                 session.id};
  }
  return timers;
}

}  // namespace berth::projections
