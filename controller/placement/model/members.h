// Session groups: how many members stand on each agent (BEHAVIOURS.md 3.4, 3.5). A session counts once an
// agent, however many of its kernels are there, from its placement to the end of its last kernel there.
#pragma once

#include "controller/placement/model/model.h"

namespace berth::placement {

// The session's agents gain (+1) or lose (-1) a member. Around any change of its kernels: lose before, gain
// after.
void count_members(Model& model, const Live& live, int sign);
// The same for a look at what would be: what was refused stays refused. Whoever calls takes it back.
void assume_members(Model& model, const Live& live, int sign);

}  // namespace berth::placement
