// The faults of a run, by its profile and its seed.
#pragma once

#include "tests/simulation/chaos.h"
#include "tests/simulation/hostility.h"
#include "tests/simulation/strange/strangeness.h"
#include "tests/simulation/world.h"

namespace berth::simulation {

struct ProfileFaults {
  RareFaults rare;
  Strangeness strangeness;  // of profile "strange" alone
  Hostility hostility;      // of "hostile" and "strange"
};

ProfileFaults draw_faults(const WorldOptions& options);

}  // namespace berth::simulation
