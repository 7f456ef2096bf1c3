// Which of two agents the selection policies concentrated and dispersed prefer (BEHAVIOURS.md 3.1 and 3.2).
#pragma once

#include "controller/placement/model/model.h"

namespace berth::placement {

// All slot types in the group's priority order: entries of the list first (exact name, or any slot of that
// device), the rest by name.
std::vector<SlotId> slot_order(const Model& model, const GroupPolicy& policy);

// Counts the slots of which the agent has some free and the request wants none.
std::uint32_t unused_capabilities(const Agent& agent, const Need& need, const std::vector<SlotId>& order);

// True if `a` comes before `b` for this request: concentrated = least (unused, what remains of each slot in
// order), a missing slot being infinite; dispersed = most (-unused, what remains...), a missing slot being
// less than nothing. Equal ones: the smaller agent id.
bool preferred(const Group& group, const Need& need, const Agent& a, const Agent& b);

}  // namespace berth::placement
