// The classes of a scenario's sessions, as GroupPolicy::mix: the requests that selections `fgd` and
// `balanced` expect.
#pragma once

#include <string_view>
#include <vector>

#include "controller/scenario/scenario.h"

namespace berth::placement {

// Counts each kernel of all sessions of the group, whatever their state.
std::vector<fragmentation::ClassShare> session_mix(const Scenario& scenario, std::string_view group);

}  // namespace berth::placement
