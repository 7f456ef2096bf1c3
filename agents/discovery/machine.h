// The machine's cores, memory, architecture and boot.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/base/amount.h"
#include "events/base/result.h"
#include "events/base/uuid.h"

namespace berth::agents {

// Amounts that the administrator keeps for the machine itself.
struct Reserve {
  Amount cpu = 0;             // micro-units
  std::optional<Amount> mem;  // bytes; absent: by the machine's size
};
// A sixteenth, from 512 MiB to 8 GiB: the system's own services, its tables and caches.
Amount default_mem_reserve(Amount mem);

// What no kernel can have of the machine's memory, whatever else it is asked for. Bytes.
struct Memory {
  Amount total = 0;
  Amount huge_pages = 0;  // set aside: only programs that ask for such pages get them
  Amount arc_min = 0;     // that ZFS keeps for its cache
  Amount used = 0;        // now, by whomever
};
// From the texts of /proc/meminfo and of ZFS's arcstats ("" where there is none). `total` is 0: it is not
// said.
Memory read_memory(std::string_view meminfo, std::string_view arcstats);

struct Machine {
  Amount cpu = 0;            // cores that this process may run on; its cgroup's quota if that is less
  Amount mem = 0;            // bytes that kernels could have at all; the cgroup's limit if that is less
  Memory memory;             // what `mem` comes of
  std::string architecture;  // "x86_64"
  Uuid boot_id;              // nil where the system has none
};

// Reads /proc and the process's own cgroup (v1 and v2). Code discovery-failed.
Result<Machine> discover_machine();

// The machine as kernels may have it. Code reserve-too-large if nothing is left.
Result<Machine> without_reserve(Machine machine, const Reserve& reserve);

// For people, what of `machine` kernels have, which is `usable`, and why not all.
std::string describe_memory(const Machine& machine, const Machine& usable);

}  // namespace berth::agents
