// Places held for sessions that preempt: from the decision until the session starts there (BEHAVIOURS.md G11,
// G14).
#pragma once

#include <optional>

#include "controller/placement/model/model.h"
#include "controller/placement/model/places.h"

namespace berth::placement {

// The session leaves its lane and holds these kernels. REQUIRES: it waits. Each kernel's requirement was
// counted once for it.
void add_held_place(Model& model, PendingIndex session, std::vector<Live::Kernel> kernels);

// The place is not held any more (`gain`: others may have it), and the session in no lane until it is put
// into one. REQUIRES: it is reserved.
void drop_held_place(Model& model, PendingIndex session, bool gain);

// Takes a session out of the tables altogether, lane included.
void forget_pending(Model& model, PendingIndex session);

Places places_of(const HeldPlace& reservation);

enum class PlaceState : std::uint8_t {
  kTaken,  // victims use it still
  kFree,
  kGone,  // an agent of it takes nothing any more, or has less than it had: it will never be free
};
PlaceState state_of(const Model& model, const Group& group, const HeldPlace& reservation);

// What held_places hold on the agent: of a slot, on one device of it or everywhere; and containers.
Amount held_amount(const Model& model, AgentIndex agent, std::optional<DeviceIndex> device, SlotId slot);
std::uint32_t held_containers(const Model& model, AgentIndex agent);

// Reserved sessions of the group, in the order of its queue.
std::vector<PendingIndex> reserved_in_order(const Model& model, const Group& group);

}  // namespace berth::placement
