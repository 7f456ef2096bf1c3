// Which agent makes and removes the folders of a volume (VolumeAgentNamed): always an ALIVE one that has the
// volume, where there is one. It stays named until it is gone or has the volume no more. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/decide/context.h"

namespace berth::controller {

Refusal unknown_volume();

// Whether some ALIVE agent has the volume.
bool is_available(const projections::State& state, const VolumeId& volume);

// Those that some ALIVE agent has, in order of their ids.
std::vector<const projections::VolumeRow*> available_volumes(const projections::State& state);

// Names another agent for the volume if the one that is named is not ALIVE or does not have it, and another
// one does: of these the first by name.
void name_volume_agent(const DecisionContext& c, const VolumeId& volume, EventList& events);

// The same for all volumes of an agent that has joined, and for those that it is still named for.
void name_volume_agents_after_join(const DecisionContext& c, const std::string& agent, EventList& events);

// The same for the volumes of an agent that these events lose.
void name_volume_agents_without(const DecisionContext& c, const std::string& agent, EventList& events);

}  // namespace berth::controller
