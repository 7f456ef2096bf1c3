// What this machine has: cores, memory, architecture, and which boot of it this is.
#pragma once

#include <string>

#include "events/base/amount.h"
#include "events/base/result.h"
#include "events/base/uuid.h"

namespace berth::agents {

// What the administrator keeps for the machine itself.
struct Reserve {
  Amount cpu = 0;            // micro-units
  Amount mem = 512ll << 20;  // bytes
};

struct Machine {
  Amount cpu = 0;            // cores that this process may run on, and its cgroup's quota if that is less
  Amount mem = 0;            // bytes; the cgroup's limit if that is less
  std::string architecture;  // "x86_64"
  Uuid boot_id;              // nil where the system has none
};

// Reads /proc and the process's own cgroup (v1 and v2). Code discovery-failed.
Result<Machine> discover_machine();

// What may be given to kernels. Code reserve-too-large when nothing is left.
Result<Machine> without_reserve(Machine machine, const Reserve& reserve);

}  // namespace berth::agents
