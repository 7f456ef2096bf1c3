// How this machine's cgroups are mounted: version 1 (also "hybrid", with an empty version 2 tree beside)
// or 2.
#pragma once

#include <string>
#include <vector>

#include "events/base/result.h"

namespace berth::agents {

struct CgroupLayout {
  bool v2 = false;                 // limits are set in the version 2 tree
  std::vector<std::string> roots;  // every mounted hierarchy
  std::string memory_root;         // the root with the memory controller
  std::string cpu_root;            // the root with the cpu controller; empty: none
  std::string unified;             // the root of the version 2 tree, beside version 1 too; empty: none
  bool counts_swap = false;        // v1: the machine has memory.memsw

  // The folder of `path` ("/berth-1a2b/KEY") in each hierarchy, and the file with its count of OOM kills.
  std::vector<std::string> folders(const std::string& path) const;
  std::string oom_file(const std::string& path) const;
};

// The cgroup of an agent, below each root: two agents on one machine have one each.
std::string agent_cgroup(const std::string& data_folder);

// Code: no-cgroups.
Result<CgroupLayout> read_cgroup_layout();
// For tests: from the text of /proc/self/mountinfo.
Result<CgroupLayout> parse_cgroup_layout(const std::string& mountinfo);

}  // namespace berth::agents
