// CustomPolicy: a custom selection policy (selection `custom`), written by a user. It scores the agents on
// which a need fits. The scheduler alone decides whether a need fits, and on which devices.
//
// The interface is pure. An implementation may talk to a program (controller/policy_host), so an answer may
// fail. A failure costs a preference, never a placement: the group selects as `concentrated` for the rest of
// the pass. Decisions are in the log, so a replay asks no policy. Called by the strand that owns the Cluster.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/placement/types.h"

namespace berth::placement {

// What goes to one agent: all kernels of a single-node session, or one kernel of a multi-node session.
struct CustomQuestion {
  struct Slot {
    std::string_view name;
    SlotKind kind = SlotKind::kCount;
    Amount asked = 0;
  };
  struct Amounts {
    std::uint32_t slot = 0;             // index into slots
    DeviceIndex device = kAgentItself;  // index into the agent's devices
    Amount capacity = 0;
    Amount free = 0;
  };
  struct Device {
    std::string_view id;
    std::int32_t numa = 0;
  };
  struct Agent {
    std::string_view id;
    std::uint32_t containers = 0;
    std::vector<Device> devices;
    std::vector<Amounts> amounts;
  };
  std::vector<Slot> slots;    // all slot types, also those that are not requested
  std::uint32_t kernels = 0;  // kernels that go there together
  std::vector<Agent> agents;  // by id; each could take it
};

class CustomPolicy {
 public:
  virtual ~CustomPolicy() = default;
  // A pass over a group begins: the time limit of answers counts from here, and a policy that failed in the
  // last pass is tried again.
  virtual void begin_pass() = 0;
  // Writes one score for each agent; the highest is taken, of equal ones the first. Returns false if there is
  // no answer; the policy gives none in this pass any more.
  virtual bool score(const CustomQuestion& question, std::span<std::int64_t> scores) = 0;
};

class CustomPolicies {
 public:
  virtual ~CustomPolicies() = default;
  // The policy of that name, null if there is none. It lives as long as this object.
  virtual CustomPolicy* find(std::string_view name) = 0;
};

}  // namespace berth::placement
