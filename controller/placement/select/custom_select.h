// Selection `custom`: of the agents on which something fits, the one that the group's policy scores highest
// (custom/policy.h).
#pragma once

#include <optional>
#include <vector>

#include "controller/placement/select/choice.h"
#include "controller/placement/select/custom/policy.h"

namespace berth::placement {

// As find_for (attempt.h); filters and tiers (choice.h) come first, so only the best tier is asked about.
// nullopt: the policy gave no answer, or there are more than kCustomCandidatesMax, and the caller goes on as
// if there were none. Looks at every agent of the group. REQUIRES: group.custom.
std::optional<AgentIndex> find_by_policy(const Model& model, const Group& group, const Choice& choice,
                                         const Need& need, std::vector<KernelPlacement>* placements);

inline constexpr std::size_t kCustomCandidatesMax = 10'000;

}  // namespace berth::placement
