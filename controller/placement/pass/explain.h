// The full explanation of why a session waits, computed when somebody asks (P19 records only a code and a
// slot).
//
// Costs a look at every agent of the group. Names, and the sessions that occupy the missing slots, are for
// the caller to add.
#pragma once

#include <cstddef>
#include <vector>

#include "controller/placement/cluster/cluster.h"

namespace berth::placement {

struct SlotLack {
  SlotId slot = kNoSlot;
  Amount asked = 0;
  Amount free = 0;     // on the agent and its devices together; negative when over-committed
  Amount missing = 0;  // asked - the most that the agent could give
  bool on_devices = false;
  Amount best_device_free = 0;  // of the device that has most free; negative when all are over-committed
};

struct Why {
  bool waits = false;  // false: no such pending session
  Reason reason;       // as of now: wait cause, behind-head, or refusal; kNone: the session would fit
  SessionId head;      // behind-head: the session that blocks
  std::size_t requirement = 0;    // the session's kernel spec that found no place, from 0
  AgentIndex nearest = kNoAgent;  // lacks least, of the agents that reached the last stage
  std::vector<SlotLack> lacks;    // there, in the group's slot order; no-capacity and no-device only
};

Why why(Cluster& cluster, const SessionId& session);

// Why the session can never start as things are, whatever ends (impossible.h): `never`, with the slot to
// blame. Reason{} if it can, or waits no longer. Also in a group that does not skip what is impossible.
Reason why_never(Cluster& cluster, const SessionId& session);

// The place in the group's order, from 1; 0: no such pending session.
std::size_t queue_position(Cluster& cluster, const SessionId& session);

// Why a request could never be placed in this group, whatever is released: unknown-slot, invalid-amount
// (negative, no multiple of the slot's quantum, more than one of a unique slot), exclusive-slots. Asked when
// a request is accepted.
struct RequestFault {
  Code code = Code::kNone;
  SlotId slot = kNoSlot;
  Amount below = 0;  // invalid-amount: the nearest amounts that may be asked for
  Amount above = 0;
};
RequestFault check_request(const Cluster& cluster, std::string_view group, std::span<const SlotAmount> slots);

}  // namespace berth::placement
