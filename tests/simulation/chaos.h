// Which rarer faults a seed has. Each kind has seeds of its own, so that what fails points at it, and seeds
// with all of them.
#pragma once

#include <cstdint>

#include "events/base/clock.h"
#include "events/base/random.h"

namespace berth::simulation {

struct RareFaults {
  bool journal = false;  // loses its tail although that was acknowledged and read
  bool streams = false;  // so do requests, reports and orders (P13, P21)
  bool clocks = false;   // controllers' wall clocks jump, forward and back (P16)
  bool reboots = false;  // agents' machines
};

// By the seed's last three bits: 0, 4 none; 1 clocks; 2 streams; 3 journal; 5 reboots; 6 all but the journal;
// 7 all.
constexpr RareFaults rare_faults(std::uint64_t seed) {
  switch (seed % 8) {
    case 1: return {.clocks = true};
    case 2: return {.streams = true};
    case 3: return {.journal = true};
    case 5: return {.reboots = true};
    case 6: return {.streams = true, .clocks = true, .reboots = true};
    case 7: return {true, true, true, true};
    default: return {};
  }
}

// How far a clock is off from now on: not at all, minutes to hours ahead, or behind. Never a little ahead:
// P16 follows that.
inline Duration draw_clock_error(Rng& rng) {
  const auto minutes = static_cast<Duration>(2 + rng.below(180)) * kMinute;
  switch (rng.below(3)) {
    case 0: return 0;
    case 1: return minutes;
    default: return rng.chance(1, 2) ? -minutes : -static_cast<Duration>(rng.below(60)) * kSecond;
  }
}

}  // namespace berth::simulation
