// Finds places for all kernels of a gang at once, if there are any, whatever the selection policy prefers.
//
// With n kernels, one that fits on n agents or more alone can come last: the others touch n - 1 of them at
// most. What is left are the scarce kernels, and fewer than n agents for each kind of them. Those agents are
// gone through in the selection's order; each takes one of the largest sets of scarce kernels that fit on it
// together (a smaller set leaves more to the rest, which is never better); what failed is remembered, and
// what asks for more in sum than the agents that are left have is not gone into. That is exhaustive for equal
// kernels, any number of them, and for up to 8 unequal ones; beyond that (more than 8 scarce ones of two
// kinds or more) it stops after kMostStates states.
#pragma once

#include <cstddef>

#include "controller/placement/pass/gang.h"

namespace berth::placement {

inline constexpr std::size_t kMostStates = 20'000;

// Takes nothing. False: there are no places, or none were found within the bound.
bool search_gang(Model& model, const Group& group, const ClassKey& key, Places* places);

}  // namespace berth::placement
