// ClockGuard: which time the leader puts into headers, and whether deadlines may fire (P16).
//
// A wall clock that runs ahead of the monotonic one is not believed: until it agrees again, or an operator
// confirms it, time is the last header time plus what the boottime clock has counted since.
#pragma once

#include <optional>

#include "events/base/clock.h"

namespace berth::controller {

inline constexpr Duration kClockTolerance = 60 * kSecond;

class ClockGuard {
 public:
  enum class Verdict : std::uint8_t { kFine, kJumped, kAgreesAgain };

  // At election. A clock far ahead of the last header time is believed only once witness() agrees with it.
  void elected(const Instant& now, Timestamp last_header, bool recorded_jump);
  // At each tick of a leader. kJumped and kAgreesAgain are said once, to be recorded.
  [[nodiscard]] Verdict tick(const Instant& now);
  // The send time of a beat or request just read.
  void witness(const Instant& now, Timestamp sent);
  // An operator's word.
  void confirm(const Instant& now);

  // Never falls below the last header time given in.
  Timestamp header_time(const Instant& now) const;
  bool may_fire_deadlines() const { return !distrusted_; }

 private:
  Timestamp trusted(const Instant& now) const { return base_ + (now.boottime - base_boottime_); }

  Timestamp base_ = 0;  // trusted time at base_boottime_
  Timestamp base_boottime_ = 0;
  bool distrusted_ = false;
  bool recorded_ = false;  // ClockJumped is in the journal
  bool silent_ = false;    // distrusted only because the last header was old at the election; no witness yet
};

}  // namespace berth::controller
