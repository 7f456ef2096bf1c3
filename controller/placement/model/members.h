// Members of session groups on each agent (BEHAVIOURS.md 3.4, 3.5). A session counts once on an agent,
// however many of its kernels are there, from its placement to the end of its last kernel there.
#pragma once

#include "controller/placement/model/model.h"

namespace berth::placement {

// Adds (`sign` 1) or subtracts (-1) the session as a member on each of its agents. Subtract before any change
// of its kernels, add after it.
void count_members(Model& model, const Live& live, int sign);
// The same for a look ahead: refused classes stay refused. The caller undoes the change.
void assume_members(Model& model, const Live& live, int sign);

}  // namespace berth::placement
