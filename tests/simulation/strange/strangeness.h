// What a seed of the profile "strange" has besides all that a hostile run has. Drawn from a generator of its
// own, so that the profiles before stay what they were.
#pragma once

#include <cstdint>
#include <string>

#include "events/base/clock.h"

namespace berth::simulation {

struct Strangeness {
  bool clocks = false;     // wall clocks are hours ahead, are believed, and are set right (P16)
  bool hangs = false;      // calls of one process's log give nothing for seconds, or answer late
  bool beginning = false;  // the journal loses its first records; controllers lose their disks
  bool disks = false;      // errors of controllers' disks that pass
  bool servers = false;    // one of two API servers stands still: what it sends comes seconds later
  bool any() const { return clocks || hangs || beginning || disks || servers; }
  std::string text() const;  // "clocks set right, hanging calls, ..."

  // How a wrong clock comes to be believed.
  enum class Belief : std::uint8_t {
    kSilentStart,  // there is no record to compare it with
    kConfirmed,    // an operator confirms it
    kAgreed,       // the clocks of the whole site agree for more than a minute
  };
  Belief belief = Belief::kSilentStart;
  bool whole_site = false;  // agents and users have the wrong clock, too
  Duration ahead = 0;
};

// By seed bits 3 to 5, apart from those of chaos.h: 0 clocks; 1 hangs; 2 the beginning; 3 disks; 4 servers; 5
// hangs and disks; 6, 7 all.
Strangeness draw_strangeness(std::uint64_t seed);

}  // namespace berth::simulation
