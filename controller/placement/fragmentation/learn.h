// Chooses the weights of `balanced` for a cluster and a mix: tries shapes on a thinned-out copy of the nodes,
// each against the same drawn arrivals, and keeps what surely allocates more: most differences are the
// draw's, and to follow those costs more than it gains. A shape that is behind after two streams is not tried
// on the others. The same input gives the same weights; 40 to 200 short simulations.
//
// A shape that drops any kind of pod (CPU-only, fraction, one GPU, several) more than 5 % above what the
// first shape drops is not taken, however much it allocates: starving the unprofitable is not what a user
// wants.
#pragma once

#include <cstdint>
#include <span>

#include "controller/placement/fragmentation/balanced.h"

namespace berth::placement::fragmentation {

struct Learned {
  Shape shape;
  Weights weights;
  std::int64_t simulations = 0;
};

// `nodes` as they are when empty; `mix`: all classes.
Learned learn(std::span<const Node> nodes, const ClassMix& mix);

}  // namespace berth::placement::fragmentation
