// Whether a class could ever be placed: whether its group could hold one session of it with nobody else
// there.
//
// Agents that drain or are lost count. What passes does not: what is taken, session groups, limits, agents on
// which a start failed. One look at the agents of the group, up to the first that could, and for a gang a
// search over as many agents as it has kernels. The verdict is kept with the refusal of the class until the
// capacity of the group changes.
#pragma once

#include "controller/placement/model/model.h"

namespace berth::placement {

// `never`, with the slot that the nearest agent lacks first (kNoSlot: no slot is to blame, or only all
// kernels together have no room). Reason{} if the empty group could hold it, or has no agent.
Reason impossible(Model& model, Group& group, const SessionClass& wanted);

}  // namespace berth::placement
