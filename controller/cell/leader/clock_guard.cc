#include "controller/cell/leader/clock_guard.h"

#include <algorithm>

namespace berth::controller {

void ClockGuard::elected(const Instant& now, Timestamp last_header, bool recorded_jump) {
  recorded_ = recorded_jump;
  distrusted_ = recorded_jump || (last_header != 0 && now.wall > last_header + kClockTolerance);
  silent_ = distrusted_ && !recorded_;
  base_ = distrusted_ ? last_header : std::max(now.wall, last_header);
  base_boottime_ = now.boottime;
}

ClockGuard::Verdict ClockGuard::tick(const Instant& now) {
  if (!distrusted_) {
    if (now.wall <= trusted(now) + kClockTolerance) {
      base_ = std::max(now.wall, base_);  // small steps are followed, also backwards ones by standing still
      base_boottime_ = now.boottime;
      return Verdict::kFine;
    }
    distrusted_ = true;
  }
  if (now.wall > trusted(now) + kClockTolerance) {
    if (recorded_ || silent_) return Verdict::kFine;
    recorded_ = true;
    return Verdict::kJumped;
  }
  const bool was_recorded = recorded_;
  confirm(now);
  return was_recorded ? Verdict::kAgreesAgain : Verdict::kFine;
}

void ClockGuard::witness(const Instant& now, Timestamp sent) {
  if (!silent_) return;
  // What was just sent by somebody else agrees with our clock: the journal was silent, the clock did not
  // jump.
  if (sent > now.wall - kClockTolerance && sent < now.wall + kClockTolerance)
    confirm(now);
  else
    silent_ = false;
}

void ClockGuard::confirm(const Instant& now) {
  distrusted_ = recorded_ = silent_ = false;
  base_ = std::max(now.wall, base_);
  base_boottime_ = now.boottime;
}

Timestamp ClockGuard::header_time(const Instant& now) const {
  return distrusted_ ? trusted(now) : std::max(now.wall, base_);
}

}  // namespace berth::controller
