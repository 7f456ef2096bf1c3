// Selection policy `round-robin`: of the agents on which a need fits, by id, the one whose turn it is.
//
// The turn is a number in the group's state, taken modulo how many fit; it grows by one with each kernel of a
// multi-node session and with each single-node session that is placed. The core records it, so it survives a
// failover. The filters run first (architecture, designated agents, containers, amounts, devices), so amounts
// decide who takes part, never whose turn it is.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/placement/model/model.h"
#include "controller/placement/select/choice.h"

namespace berth::placement {

// The agent whose turn it is; kNoAgent if the need fits nowhere. Of several tiers (choice.h) only the best
// takes part. rating_index.h keeps which agents take part. Moves no turn.
AgentIndex next_in_turn(const Model& model, const Group& group, const Choice& choice, const Need& need,
                        std::vector<KernelPlacement>* placements);

// Moves the turn after a placement: by one for each kernel, or by one for all of a single-node session.
void move_turn(Group& group, Mode mode, std::size_t kernels);

// Restores the turn: a gang that is only searched for moves the turn kernel by kernel.
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
