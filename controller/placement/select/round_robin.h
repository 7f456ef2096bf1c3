// Selection `round-robin`: of the agents on which something fits, by id, the one whose turn it is.
//
// The turn is a number in the group's state, taken modulo how many fit; it grows by one with each kernel of a
// multi-node session and with each single-node session that is placed. The core records it, so it survives a
// failover. The filters run first (architecture, designated agents, containers, amounts, devices), so amounts
// decide who takes part, never whose turn it is.
#pragma once

#include <vector>

#include "controller/placement/model/model.h"
#include "controller/placement/select/choice.h"

namespace berth::placement {

// kNoAgent when it fits nowhere. Of several tiers (choice.h) only the best takes part. Which agents take part
// is kept: rating_index.h. Moves no turn.
AgentIndex next_in_turn(const Model& model, const Group& group, const Choice& choice, const Need& need,
                        std::vector<KernelPlacement>* placements);

// So many kernels got a place: a turn each, or one for all of a single-node session.
void move_turn(Group& group, Mode mode, std::size_t kernels);

// Kernels of a gang that is only looked for take turns; then the turn is what it was.
class WhileTurning {
 public:
  explicit WhileTurning(Group& group) : group_(group), before_(group.round_robin_index) {}
  WhileTurning(const WhileTurning&) = delete;
  ~WhileTurning() { group_.round_robin_index = before_; }

 private:
  Group& group_;
  std::uint64_t before_;
};

}  // namespace berth::placement
