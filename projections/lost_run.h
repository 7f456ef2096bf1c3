// The run of a session that its lost agent took along. A requeueable session whose agent is recorded lost
// waits to be placed again; until it is, the agent may come back with what the run came to, and that counts
// (P24).
#pragma once

#include "projections/tables/state.h"

namespace berth::projections {

// Whether an end of that kind, told of the kernel, is the result of a session that waits: the kernel is main1
// of the run that was lost, and ended by itself. Kernels that a stop, a lease or a fence ended have no
// result.
bool is_result_of_lost_run(const State& state, const KernelRow& kernel, v1::KernelEnd told);

}  // namespace berth::projections
