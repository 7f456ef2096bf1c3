// The classes of a scenario's sessions, as GroupPolicy::mix: what selections `fgd` and `balanced` expect to
// come.
#pragma once

#include <string_view>
#include <vector>

#include "controller/scenario/scenario.h"

namespace berth::placement {

// Of all sessions of the group, whatever their state: kernels, each as often as asked for.
std::vector<fragmentation::ClassShare> session_mix(const Scenario& scenario, std::string_view group);

}  // namespace berth::placement
