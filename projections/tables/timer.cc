#include "projections/tables/timer.h"

#include <algorithm>

namespace berth::projections {

Timestamp earliest_start(const SessionRow& session) {
  const auto& spec = session.spec->spec;
  const Timestamp asked = spec.type() == v1::BATCH ? spec.start_time_ms() * kMillisecond : 0;
  return std::max(asked, session.not_before);
}

std::optional<Timer> timer_of(const SessionRow& session) {
  const auto& spec = session.spec->spec;
  if (is_waiting(session.status) && spec.pending_timeout_ms() > 0) {
    // Who ran and was put back has not waited all that time.
    const Timestamp since = std::max(session.created_at, session.requeued_at);
    return Timer{since + spec.pending_timeout_ms() * kMillisecond, TimerKind::kPendingTimeout, session.id};
  }
  if (session.status == SessionStatus::kRunning && spec.batch_timeout_ms() > 0)
    return Timer{session.running_at + spec.batch_timeout_ms() * kMillisecond, TimerKind::kBatchTimeout,
                 session.id};
  return std::nullopt;
}

}  // namespace berth::projections
