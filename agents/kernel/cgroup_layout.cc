#include "agents/kernel/cgroup_layout.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "agents/kernel/shim/scope.h"
#include "agents/kernel/shim/system.h"
#include "events/base/hash.h"

namespace berth::agents {
namespace {

struct Mount {
  std::string device, root, place, type, options;

  // The usual place of the whole tree is 0.
  int rank() const { return (place.starts_with("/sys/fs/cgroup") ? 0 : 2) + (root == "/" ? 0 : 1); }
};

// The kernel writes a space in a path as `\\040`.
std::string unescaped(const std::string& text) {
  const auto is_octal = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '7'; };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(i + 1) && is_octal(i + 2) && is_octal(i + 3)) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// Each mounted cgroup tree once.
std::vector<Mount> trees_in(const std::string& mountinfo) {
  std::vector<Mount> trees;
  std::istringstream lines(mountinfo);
  for (std::string line; std::getline(lines, line);) {
    // "id parent major:minor root mount-point options [optional...] - type source super-options"
    std::istringstream words(line);
    std::string skip;
    Mount mount;
    words >> skip >> skip >> mount.device >> mount.root >> mount.place;
    while (words >> skip && skip != "-") {}
    words >> mount.type >> skip >> mount.options;
    mount.place = unescaped(mount.place);
    std::erase_if(trees, [&](const Mount& hidden) { return hidden.place == mount.place; });
    if (mount.type != "cgroup" && mount.type != "cgroup2") continue;
    const auto known = std::ranges::find(trees, mount.device, &Mount::device);
    if (known == trees.end())
      trees.push_back(std::move(mount));
    else if (mount.rank() < known->rank())
      *known = std::move(mount);
  }
  return trees;
}

}  // namespace

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
  bool any_v1 = false;
  for (const Mount& mount : trees_in(mountinfo)) {
    layout.roots.push_back(mount.place);
    if (mount.type == "cgroup2") {
      layout.unified = mount.place;
      continue;
    }
    const std::string options = "," + mount.options + ",";
    const auto take = [&](const char* controller, std::string& root) {
      if (options.find(std::string(",") + controller + ",") == std::string::npos) return;
      root = mount.place;
      any_v1 = true;
    };
    take("memory", layout.memory_root);
    take("cpu", layout.cpu_root);
    take("pids", layout.pids_root);
  }
  // Where version 1 has controllers, the tree of version 2 beside it has none.
  if (!any_v1) {
    layout.v2 = true;
    layout.memory_root = layout.cpu_root = layout.pids_root = layout.unified;
  }
  if (layout.memory_root.empty() && layout.unified.empty())
    return make_error("no-cgroups", "this machine has no cgroup tree with memory limits",
                      "use the process backend");
  return layout;
}

std::vector<std::string> missing_controllers(const CgroupLayout& layout,
                                             const std::string& unified_controllers) {
  std::vector<std::string> missing;
  std::string given = unified_controllers;
  std::ranges::replace(given, '\n', ' ');
  for (const auto& [name, root] :
       {std::pair{"cpu", layout.cpu_root}, {"memory", layout.memory_root}, {"pids", layout.pids_root}})
    if (root.empty() ||
        (layout.v2 && (" " + given + " ").find(std::string(" ") + name + " ") == std::string::npos))
      missing.emplace_back(name);
  return missing;
}

Result<void> check_controllers(const CgroupLayout& layout) {
  const auto missing =
      missing_controllers(layout, shim::read_file(layout.unified + "/cgroup.controllers").value_or(""));
  if (missing.empty()) return {};
  std::string names;
  for (const std::string& name : missing) names += (names.empty() ? "" : ", ") + name;
  return make_error("cgroup-controllers-missing",
                    "containers cannot be limited here: the cgroup tree lacks " + names,
                    "a kernel command line may turn it off (cgroup_disable=), and a container has only the "
                    "controllers that it was given");
}

Result<CgroupLayout> read_cgroup_layout() {
  auto layout = parse_cgroup_layout(shim::read_file("/proc/self/mountinfo").value_or(""));
  if (layout.ok() && !layout->memory_root.empty())
    layout->counts_swap = access((layout->memory_root + "/memory.memsw.limit_in_bytes").c_str(), F_OK) == 0;
  return layout;
}

}  // namespace berth::agents
