// How this machine's cgroups are mounted: version 1 (also "hybrid", with an empty version 2 tree beside)
// or 2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/result.h"

namespace berth::agents {

struct CgroupLayout {
  bool v2 = false;                 // limits are set in the version 2 tree
  std::vector<std::string> roots;  // every mounted hierarchy
  std::string memory_root;         // the root with the memory controller; empty: none
  std::string cpu_root;            // the root with the cpu controller; empty: none
  std::string pids_root;           // the root with the pids controller; empty: none
  std::string unified;             // the root of the version 2 tree, beside version 1 too; empty: none
  bool counts_swap = false;        // v1: the machine has memory.memsw

  // The folder of `path` ("/berth-1a2b/KEY") in each hierarchy, and the file with its count of OOM kills.
  std::vector<std::string> folders(const std::string& path) const;
  std::string oom_file(const std::string& path) const;
};

// Whether systemd is this machine's init: it owns the tree, and gives us a part of it (shim/scope.h).
bool systemd_runs();
// The unit of systemd that holds an agent's launcher and kernels. Empty: this machine has none, or this is
// not root.
std::string scope_of_agent(const std::string& data_folder);
// The cgroup of an agent, below each root: two agents on one machine have one each. In the version 2 tree of
// a machine with systemd it is that of the scope, which is there while a launcher or a kernel is.
std::string agent_cgroup(const CgroupLayout& layout, const std::string& data_folder);

// The machine's process ids are shared by all: kernels get half of them, and one kernel a small part. 0: not
// known.
std::int64_t all_pids_max();
std::int64_t kernel_pids_max();

// Code: no-cgroups.
Result<CgroupLayout> read_cgroup_layout();
// Whether the tree has what bounds a container. Code: cgroup-controllers-missing.
Result<void> check_controllers(const CgroupLayout& layout);

// For tests: from the text of /proc/self/mountinfo. Of several mounts of one tree the usual place is taken.
Result<CgroupLayout> parse_cgroup_layout(const std::string& mountinfo);
// Of cpu, memory and pids. `unified_controllers`: the text of cgroup.controllers in the version 2 tree.
std::vector<std::string> missing_controllers(const CgroupLayout& layout,
                                             const std::string& unified_controllers);

}  // namespace berth::agents
