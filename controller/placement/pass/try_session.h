// One try to place one session: search, assign devices, take; or a refusal, which the whole class shares.
#pragma once

#include "controller/placement/model/model.h"
#include "controller/placement/pass/gang.h"

namespace berth::placement {

// The recorded slot of a refusal may lag behind by one change of an agent for each so many agents of the
// group; in smaller groups it does not lag.
inline constexpr std::size_t kAgentsPerLag = 64;

// The refusal of the class if it still holds, since there was no gain after it; else kNone: try the class.
Reason known_refusal(const Model& model, const Group& group, ClassIndex session_class);

// The agent that the selection policy prefers for this need, of those that the class may take, tier by tier
// (choice.h); kNoAgent if there is none.
AgentIndex find_for(const Model& model, const Group& group, const ClassKey& key, const Need& need,
                    std::vector<KernelPlacement>* placements);

// Finds places for all kernels and takes them. False if any kernel does not fit; those already placed stay
// taken, see `places`.
bool take_places(Model& model, const Group& group, const SessionClass& wanted, Places* places);

// Finds places for all kernels and takes none. False if any kernel does not fit.
bool find_places(Model& model, Group& group, const SessionClass& wanted,
                 std::vector<KernelPlacement>* placements);

// The session leaves the queue and is live. REQUIRES: its places are taken.
void make_live(Model& model, PendingIndex session, const Places& places);

// kNone: the session was placed; it has left the queue and occupies its slots. Otherwise the reason; only the
// refusal of its class has changed.
Reason try_session(Model& model, Group& group, PendingIndex session, Places* places);

}  // namespace berth::placement
