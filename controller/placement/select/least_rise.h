// Selection policies by the rise of a potential: `fgd` (F of Weng et al., USENIX ATC'23) and `balanced`
// (fragmentation/balanced.h). Of the agents on which a need fits they take the one whose potential rises
// least; for a fraction of one device also the device.
//
// An agent is seen as fragmentation::Node: its free CPU and what is free of its first slot on devices, by the
// group's slot priority, at most a whole unit a device and 16 devices. The classes that are expected are
// GroupPolicy::mix.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "controller/placement/fragmentation/balanced.h"
#include "controller/placement/select/choice.h"

namespace berth::placement {

inline bool by_rise(Select select) { return select == Select::kFgd || select == Select::kBalanced; }

// Computed from the group's settings when the group is defined. Empty for other selection policies.
struct RiseSettings {
  fragmentation::ClassMix popular;  // for fgd
  fragmentation::Weights weights;   // for balanced
};
RiseSettings make_rise_settings(const GroupPolicy& policy);

// The group's agents that take sessions, as if they were empty, by id: the input of fragmentation/learn.h.
std::vector<fragmentation::Node> empty_nodes(const Model& model, std::string_view group);

// The rise on this agent, and the places there; nullopt: the need does not fit.
std::optional<std::int64_t> rise_on(const Model& model, const Group& group, AgentIndex agent,
                                    const Need& need, std::vector<KernelPlacement>* placements);

// As find_for (try_session.h), by tier, then the rise, then the agent's id. Rises are kept: rating_index.h.
AgentIndex find_least_rise(const Model& model, const Group& group, const Choice& choice, const Need& need,
                           std::vector<KernelPlacement>* placements);

}  // namespace berth::placement
