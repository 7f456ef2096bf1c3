#include "agents/kernel/cgroup_layout.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "agents/kernel/shim/scope.h"
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

namespace {

std::int64_t pid_max() {
  return std::strtoll(shim::read_file("/proc/sys/kernel/pid_max").value_or("").c_str(), nullptr, 10);
}

}  // namespace

std::int64_t all_pids_max() { return pid_max() / 2; }
std::int64_t kernel_pids_max() { return pid_max() / 16; }

namespace {

std::string name_of_agent(const std::string& data_folder) {
  return "berth-" + to_hex(as_view(blake2b_128(data_folder))).substr(0, 12);
}

}  // namespace

bool systemd_runs() {
  struct stat info {};
  return lstat("/run/systemd/system", &info) == 0 && S_ISDIR(info.st_mode);
}

std::string scope_of_agent(const std::string& data_folder) {
  return geteuid() == 0 && systemd_runs() ? name_of_agent(data_folder) + ".scope" : "";
}

std::string agent_cgroup(const CgroupLayout& layout, const std::string& data_folder) {
  const std::string scope = layout.v2 ? scope_of_agent(data_folder) : "";
  return "/" + (scope.empty() ? name_of_agent(data_folder) : std::string(shim::kSlice) + "/" + scope);
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
