#include "projections/tables/timer.h"

#include <algorithm>

namespace berth::projections {

TimersOfSession timers_of(const SessionRow& session) {
  TimersOfSession timers;
  const auto& spec = session.spec->spec;
  if (is_waiting(session.status)) {
    // Who ran and was put back has not waited all that time.
    const Timestamp since = std::max(session.created_at, session.requeued_at);
    if (spec.pending_timeout_ms() > 0)
      timers[0] = {since + spec.pending_timeout_ms() * kMillisecond, TimerKind::kPendingTimeout, session.id};
    if (spec.type() == v1::BATCH && session.status == SessionStatus::kPending &&
        spec.start_time_ms() * kMillisecond > session.created_at)
      timers[1] = {spec.start_time_ms() * kMillisecond, TimerKind::kStartTime, session.id};
  } else if (session.status == SessionStatus::kRunning && spec.batch_timeout_ms() > 0) {
    timers[0] = {session.running_at + spec.batch_timeout_ms() * kMillisecond, TimerKind::kBatchTimeout,
                 session.id};
  }
  return timers;
}

}  // namespace berth::projections
