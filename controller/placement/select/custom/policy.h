// CustomPolicy: an order over agents that somebody else wrote (select "custom"). It says how much it likes
// each agent on which something fits, and no more: what fits, and on which devices, stays the scheduler's.
//
// The interface is pure; who implements it may talk to a program (controller/policy_host), which is why its
// answers may fail. A failure costs a preference, never a placement: the group selects as `concentrated` for
// the rest of the pass. What was decided is in the log, so a replay asks nobody. Called by the one strand
// that owns the Cluster.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/placement/types.h"

namespace berth::placement {

// What is to be placed on one agent: all kernels of a single-node session, or one kernel of another.
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
  std::vector<Slot> slots;    // all that there are, also those that are not asked for
  std::uint32_t kernels = 0;  // how many go there together
  std::vector<Agent> agents;  // by id; each could take it
};

class CustomPolicy {
 public:
  virtual ~CustomPolicy() = default;
  // A pass over a group begins: the time that it may take counts from here, and what failed in the last one
  // is tried again.
  virtual void begin_pass() = 0;
  // One score an agent; the highest is taken, of equal ones the first. False: no answer, and none in this
  // pass any more.
  virtual bool score(const CustomQuestion& question, std::span<std::int64_t> scores) = 0;
};

class CustomPolicies {
 public:
  virtual ~CustomPolicies() = default;
  // Null: there is none of that name. What it gives lives as long as this.
  virtual CustomPolicy* find(std::string_view name) = 0;
};

}  // namespace berth::placement
