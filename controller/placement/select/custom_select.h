// Selection `custom`: of the agents on which a need fits, the one that the group's custom selection policy
// scores highest (custom/policy.h).
#pragma once

#include <optional>
#include <vector>

#include "controller/placement/select/choice.h"
#include "controller/placement/select/custom/policy.h"

namespace berth::placement {

// As find_for (try_session.h). Filters and tiers (choice.h) come first: only agents of the best tier are
// scored. nullopt: the custom selection policy gave no answer, or there are more than kCustomCandidatesMax
// agents; the caller then selects as `concentrated`. Looks at every agent of the group. REQUIRES:
// group.custom.
std::optional<AgentIndex> find_by_policy(const Model& model, const Group& group, const Choice& choice,
                                         const Need& need, std::vector<KernelPlacement>* placements);

inline constexpr std::size_t kCustomCandidatesMax = 10'000;

}  // namespace berth::placement
