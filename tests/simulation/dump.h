// What a run's journal says and gives, as text for a comparison of two builds (compare_dumps.py).
//
// A line of JSON each: the seed; each record that applied, its events by the names of the schema; then each
// row of the state, in hexadecimal digits.
#pragma once

#include <cstdint>
#include <ostream>

#include "tests/simulation/sim_controller.h"

namespace berth::simulation {

void dump_run(std::ostream& out, std::uint64_t seed, const SimCluster& cluster);

}  // namespace berth::simulation
