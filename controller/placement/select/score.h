// Which of two agents the selection policies concentrated and dispersed prefer (BEHAVIOURS.md 3.1 and 3.2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "controller/placement/model/model.h"

namespace berth::placement {

// All slot types in the group's priority order: entries of the list first (exact name, or any slot of that
// device), the rest by name, and behind them what does not bear on the selection (is_rated).
std::vector<SlotId> slot_order(const Model& model, const GroupPolicy& policy);
// The part of the order that bears on the selection.
inline std::span<const SlotId> rated_slots(const Group& group) {
  return std::span(group.slot_order).first(group.rated);
}

// Counts the slots of which the agent has some free and the request wants none.
std::uint32_t unused_capabilities(const Agent& agent, const Need& need, std::span<const SlotId> rated);

// True if `a` comes before `b` for this request: concentrated = least (unused, what remains of each slot in
// order), a missing slot being infinite; dispersed = most (-unused, what remains...), a missing slot being
// less than nothing. Equal ones: the smaller agent id.
bool preferred(const Group& group, const Need& need, const Agent& a, const Agent& b);

}  // namespace berth::placement
