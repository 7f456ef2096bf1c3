// TerminalsPart: what open terminals cost in memory: in the helpers of their kernels, which keep what was
// printed, and in the server, API and agent in one process, to which all of them are connected.
#pragma once

#include <cstdint>

#include "bench/app/berth_up.h"
#include "bench/report.h"

namespace berth::bench {

// So many terminals, each with as much scrollback as is kept. Adds figures.
void measure_terminals(std::uint64_t terminals, const BerthUp& up, Report& report);

}  // namespace berth::bench
