// One try to place one session: search, assign devices, take; or the refusal that its whole class shares.
#pragma once

#include "controller/placement/model/model.h"
#include "controller/placement/pass/gang.h"

namespace berth::placement {

// A recorded slot may lag behind by a change of an agent for so many agents in the group: none in smaller
// ones.
inline constexpr std::size_t kAgentsPerLag = 64;

// The refusal that still holds for the class, since nothing was freed after it; kNone if it has to be tried.
Reason known_refusal(const Model& model, const Group& group, ClassIndex session_class);

// The agent that the selection prefers for this need, of those that the class may take, tier by tier
// (choice.h); kNoAgent if none.
AgentIndex find_for(const Model& model, const Group& group, const ClassKey& key, const Need& need,
                    std::vector<KernelPlacement>* placements);

// Finds places for all kernels and takes them. False: nowhere for all; those that a gang got one after the
// other are in `places` and taken still.
bool take_places(Model& model, const Group& group, const SessionClass& wanted, Places* places);

// Where the kernels would go now; false if nowhere. Changes nothing.
bool find_places(Model& model, Group& group, const SessionClass& wanted,
                 std::vector<KernelPlacement>* placements);

// A session whose places are taken leaves the queue and is live.
void settle(Model& model, PendingIndex session, const Places& places);

// kNone: placed, it has left the queue and holds its slots. Otherwise nothing changed but what is known of
// its class.
Reason try_session(Model& model, Group& group, PendingIndex session, Places* places);

}  // namespace berth::placement
