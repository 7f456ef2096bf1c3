// The full explanation of why a session waits, computed when somebody asks (P19 records only a code and a
// slot).
//
// Costs a look at every agent of the group. The caller joins which sessions occupy the missing slots: the
// answer names agents and devices, and the caller's tables know the kernels there.
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
  DeviceIndex best_device = kAgentItself;  // the one with most free
  Amount best_device_free = 0;
};

struct AgentWhy {
  AgentIndex agent = kNoAgent;
  Code code = Code::kNone;      // the stage that stops it there; kNone: it would fit
  std::vector<SlotLack> lacks;  // in the group's slot order; no-capacity and no-device only
};

struct Why {
  bool waits = false;        // false: no such pending session
  Reason reason;             // as of now: wait cause, behind-head, or refusal; kNone: the session would fit
  std::size_t position = 0;  // in the group's order, from 1
  std::size_t queue_length = 0;
  SessionId head;                 // behind-head: the session that blocks
  std::size_t requirement = 0;    // the session's kernel spec that found no place, from 0
  AgentIndex nearest = kNoAgent;  // lacks least, of those that reached the last stage
  std::vector<AgentWhy> agents;   // every agent of the group, by id
};

// `all_agents` false: only the nearest one is in `agents`.
Why why(Cluster& cluster, const SessionId& session, bool all_agents = true);

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
