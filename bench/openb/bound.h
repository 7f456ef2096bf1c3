// An upper bound of what any policy could have allocated of given arrivals, even one that knew them all and
// could move pods.
//
// Relaxation: only devices count (no CPU, no models, no nodes; a pod of n devices is n pods of one). Then
// what is allocated is at most the optimum of the configuration LP  max sum v_m x_m,  x_m <= arrived_m,  x =
// fillings of at most D devices, and by weak duality, for ANY prices y >= 0,
//   allocated <= D * (the dearest filling of one device at prices y) + sum over m of arrived_m * max(0, v_m -
//   y_m).
// Prices y near the optimum make it tight (a few hundred subgradient steps); whatever they are, the bound
// holds, since every filling is taken by an exact knapsack in whole milli.
#pragma once

#include <cstdint>
#include <span>

#include "controller/placement/fragmentation/node.h"

namespace berth::placement::fragmentation {

// GPU milli, rounded up. `arrivals` are places in `classes`.
std::int64_t allocation_bound(std::span<const Node> nodes, std::span<const Ask> classes,
                              std::span<const std::uint32_t> arrivals);

}  // namespace berth::placement::fragmentation
