#include "tests/simulation/strange/wrong_clock.h"

namespace berth::simulation {

WrongClock::WrongClock(const Strangeness& strangeness, std::uint64_t seed)
    : s_(strangeness), rng_(seed ^ 0xC10C4) {}

void WrongClock::chaos(const Instant& now, bool dated, SimUsers& users) {
  if (!s_.clocks || is_to_be_agreed() || !dated) return;
  const auto soon = [&](std::uint64_t ms) {
    return now.boottime + static_cast<Duration>(500 + rng_.below(ms)) * kMillisecond;
  };
  if (is_ahead_) {
    if (right_at_ == 0) right_at_ = soon(8000);
    // More than once: a leader that takes it may be gone before its record counts.
    if (s_.belief == Strangeness::Belief::kConfirmed && rng_.chance(1, 60)) users.ask_confirm_clock(now);
    if (now.boottime >= right_at_) set_right();
  } else if (!was_ahead_ && s_.belief == Strangeness::Belief::kConfirmed) {
    if (ahead_at_ == 0) ahead_at_ = soon(5000);
    if (now.boottime >= ahead_at_) set_ahead();
  } else if (was_ahead_ && rng_.chance(1, 300)) {
    users.ask_confirm_clock(now);  // that the clock is behind is as it should be
  }
}

}  // namespace berth::simulation
