// Held places: slots kept for a session that preempts, from the decision until the session starts there
// (BEHAVIOURS.md G11, G14). Such a session is RESERVED and stands in no lane.
#pragma once

#include <cstdint>
#include <optional>

#include "controller/placement/model/model.h"
#include "controller/placement/model/places.h"

namespace berth::placement {

// Moves the session from its lane to a held place of these kernels. REQUIRES: the session waits and is not
// reserved; each kernel's requirement was counted once.
void add_held_place(Model& model, PendingIndex session, std::vector<Live::Kernel> kernels);

// Drops the held place (`gain`: refused requests may fit there). The session stands in no lane until the
// caller enqueues or forgets it. REQUIRES: the session is reserved.
void drop_held_place(Model& model, PendingIndex session, bool gain);

// Takes a pending session out of all tables: lane, held place, counts, class.
void forget_pending(Model& model, PendingIndex session);

Places places_of(const HeldPlace& place);

enum class PlaceState : std::uint8_t {
  kTaken,  // victims still occupy it
  kFree,
  kGone,  // never to be free: one of its agents takes no session any more, or has become too small
};
PlaceState state_of(const Model& model, const Group& group, const HeldPlace& place);

// What held places take on the agent: of a slot (on one device, or on agent and devices), and containers.
Amount held_amount(const Model& model, AgentIndex agent, std::optional<DeviceIndex> device, SlotId slot);
std::uint32_t held_containers(const Model& model, AgentIndex agent);

// The RESERVED sessions of the group, in the order of its queue.
std::vector<PendingIndex> reserved_in_order(const Model& model, const Group& group);

}  // namespace berth::placement
