// Kernels that run although their agent's data folder is empty: another disk lies over it, or its own is not
// mounted (ADR 0102).
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace berth::agents {

struct LeftKernels {
  std::set<std::string> names;       // kernel_name.h
  std::set<std::int64_t> processes;  // the first of each kernel, or all of one whose record is lost
};

// Finds the kernels of agents whose data folder has this path, by the files in memory (fast_folder.h) and by
// the agents' cgroups.
// For root; another user's are not seen once the folder is gone. Makes nothing.
LeftKernels find_left_kernels(const std::string& data_folder);

}  // namespace berth::agents
