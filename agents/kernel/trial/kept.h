// Whether the machine keeps what a container's spec asks for, as its kernel shows it in /proc and in the
// cgroup tree: a runtime may say that all is well and set nothing.
#pragma once

#include <cstdint>
#include <string>

#include "agents/kernel/backend.h"
#include "agents/kernel/cgroup_layout.h"
#include "events/base/result.h"

namespace berth::agents {

// Limits of memory, processor and, where the machine has a controller of them, process ids. `cgroup`: where
// the container was to be, below each root. Code: limit-not-kept.
Result<void> check_limits(const CgroupLayout& layout, const std::string& cgroup, const KernelSpec& spec,
                          std::int64_t pid);

// Namespaces, ids, seccomp and no-new-privileges of a container's init. Code: wall-missing.
Result<void> check_walls(std::int64_t pid);

}  // namespace berth::agents
