#include "agents/kernel/cgroup_layout.h"

#include <unistd.h>

#include <sstream>

#include "agents/kernel/shim/system.h"
#include "events/base/hash.h"

namespace berth::agents {

std::vector<std::string> CgroupLayout::folders(const std::string& path) const {
  std::vector<std::string> all;
  for (const std::string& root : roots) all.push_back(root + path);
  return all;
}

std::string CgroupLayout::oom_file(const std::string& path) const {
  return memory_root + path + (v2 ? "/memory.events" : "/memory.oom_control");
}

std::string agent_cgroup(const std::string& data_folder) {
  return "/berth-" + to_hex(as_view(blake2b_128(data_folder))).substr(0, 12);
}

Result<CgroupLayout> parse_cgroup_layout(const std::string& mountinfo) {
  CgroupLayout layout;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    // "id parent major:minor root mount-point options [optional...] - type source super-options"
    std::istringstream words(line);
    std::string skip, mount_point, type, source, options;
    words >> skip >> skip >> skip >> skip >> mount_point;
    while (words >> skip && skip != "-") {}
    words >> type >> source >> options;
    if (type == "cgroup2") {
      layout.unified = mount_point;
      layout.roots.push_back(mount_point);
    } else if (type == "cgroup") {
      layout.roots.push_back(mount_point);
      options = "," + options + ",";
      if (options.find(",memory,") != std::string::npos) layout.memory_root = mount_point;
      if (options.find(",cpu,") != std::string::npos) layout.cpu_root = mount_point;
    }
  }
  if (layout.memory_root.empty()) {
    layout.v2 = true;
    layout.memory_root = layout.cpu_root = layout.unified;
  }
  if (layout.memory_root.empty())
    return make_error("no-cgroups", "this machine has no cgroup tree with memory limits",
                      "use the process backend");
  return layout;
}

Result<CgroupLayout> read_cgroup_layout() {
  auto layout = parse_cgroup_layout(shim::read_file("/proc/self/mountinfo").value_or(""));
  if (layout.ok())
    layout->counts_swap = access((layout->memory_root + "/memory.memsw.limit_in_bytes").c_str(), F_OK) == 0;
  return layout;
}

}  // namespace berth::agents
