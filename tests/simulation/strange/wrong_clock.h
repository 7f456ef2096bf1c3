// A wall clock that is hours ahead, is believed, and is set right (P16): the controllers' alone, or that of
// the whole site.
#pragma once

#include <cstdint>

#include "events/base/random.h"
#include "tests/simulation/sim_users.h"
#include "tests/simulation/strange/strangeness.h"

namespace berth::simulation {

class WrongClock {
 public:
  WrongClock(const Strangeness& strangeness, std::uint64_t seed);

  // Before the first turn.
  void start() { is_ahead_ = s_.clocks && s_.belief == Strangeness::Belief::kSilentStart; }
  // `dated`: the journal has a record that has a time.
  void chaos(const Instant& now, bool dated, SimUsers& users);
  // The phase in which most agents agree with the wrong clock begins, if this run has that phase, and ends.
  bool is_to_be_agreed() const { return s_.clocks && s_.belief == Strangeness::Belief::kAgreed; }
  void set_ahead() { is_ahead_ = true, was_ahead_ = true; }
  void set_right() { is_ahead_ = false, was_ahead_ = true; }

  Duration of_controllers() const { return is_ahead_ ? s_.ahead : 0; }
  Duration of_others() const { return is_ahead_ && s_.whole_site ? s_.ahead : 0; }
  // How far header time may be ahead because this clock was believed.
  Duration believable() const { return is_ahead_ || was_ahead_ ? s_.ahead : 0; }
  bool was_set_right() const { return was_ahead_ && !is_ahead_; }

 private:
  const Strangeness s_;
  Rng rng_;
  bool is_ahead_ = false, was_ahead_ = false;
  Timestamp ahead_at_ = 0, right_at_ = 0;  // boottime; 0: not yet drawn
};

}  // namespace berth::simulation
