// The machine's cores, memory, architecture and boot.
#pragma once

#include <string>

#include "events/base/amount.h"
#include "events/base/result.h"
#include "events/base/uuid.h"

namespace berth::agents {

// Amounts that the administrator keeps for the machine itself.
struct Reserve {
  Amount cpu = 0;            // micro-units
  Amount mem = 512ll << 20;  // bytes
};

struct Machine {
  Amount cpu = 0;            // cores that this process may run on; its cgroup's quota if that is less
  Amount mem = 0;            // bytes; the cgroup's limit if that is less
  std::string architecture;  // "x86_64"
  Uuid boot_id;              // nil where the system has none
};

// Reads /proc and the process's own cgroup (v1 and v2). Code discovery-failed.
Result<Machine> discover_machine();

// The machine as kernels may have it. Code reserve-too-large if nothing is left.
Result<Machine> without_reserve(Machine machine, const Reserve& reserve);

}  // namespace berth::agents
