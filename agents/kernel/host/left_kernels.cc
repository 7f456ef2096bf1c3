#include "agents/kernel/host/left_kernels.h"

#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <vector>

#include "agents/kernel/backends.h"
#include "agents/kernel/cgroup_layout.h"
#include "agents/kernel/fast_folder.h"
#include "agents/kernel/kernel_name.h"
#include "agents/kernel/shim/system.h"
#include "events/base/text.h"

namespace berth::agents {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kNamed = 4;

bool is_locked(const std::string& path) {
  const int lock = shim::take_lock(path);
  if (lock >= 0) close(lock);
  return lock < 0;
}

// Finds a kernel by the record of its first process, and where there is no record by the lock that its shim
// holds.
void look_in_memory(const shim::Folders& folders, LeftKernels& left) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folders.fast + "/kernels", error)) {
    const std::string name = entry.path().filename();
    const shim::KernelFiles files{folders, name};
    const auto bytes = shim::read_file(files.state());
    const auto state = bytes ? shim::decode_state(*bytes) : std::nullopt;
    const bool runs = state && state->boot == shim::boot_id() && shim::same_process(state->main);
    if (runs) left.processes.insert(state->main.pid);
    if (runs || is_locked(files.in("lock"))) left.names.insert(name);
  }
}

std::set<std::int64_t> processes_in(const std::string& cgroup) {
  std::set<std::int64_t> found;
  const auto read = [&found](const fs::path& folder) {
    std::istringstream pids(shim::read_file(folder / "cgroup.procs").value_or(""));
    for (std::int64_t pid = 0; pids >> pid;) found.insert(pid);
  };
  read(cgroup);
  std::error_code error;
  for (fs::recursive_directory_iterator at(cgroup, error), end; !error && at != end; at.increment(error))
    if (at->is_directory(error)) read(at->path());
  return found;
}

void look_in_cgroups(const std::string& data_folder, LeftKernels& left) {
  const auto layout = read_cgroup_layout();
  if (!layout) return;
  const std::set<std::string> known = left.names;
  for (const std::string& folder : layout->folders(agent_cgroup(*layout, data_folder))) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename();
      if (!parse_kernel_name(name) || known.contains(name)) continue;
      const auto processes = processes_in(entry.path());
      if (processes.empty()) continue;
      left.names.insert(name);
      left.processes.insert(processes.begin(), processes.end());
    }
  }
}

}  // namespace

LeftKernels find_left_kernels(const std::string& data_folder) {
  LeftKernels left;
  if (geteuid() != 0) return left;
  for (const std::string& fast : fast_folders_of(data_folder)) look_in_memory({data_folder, fast}, left);
  look_in_cgroups(data_folder, left);
  return left;
}

bool holds_agent(const std::string& data_folder) {
  return access((data_folder + "/claims").c_str(), F_OK) == 0;
}

Result<void> check_left_kernels(const std::string& data_folder) {
  if (holds_agent(data_folder)) return {};
  const LeftKernels left = find_left_kernels(data_folder);
  if (left.names.empty()) return {};
  const bool one = left.names.size() == 1;
  std::string kill = "kill";
  for (const std::int64_t pid : left.processes) kill += " " + std::to_string(pid);
  return make_error(
      "kernels-still-run",
      data_folder + " is empty, but " + std::to_string(left.names.size()) +
          (one ? " kernel of an agent on it still runs: " : " kernels of an agent on it still run: ") +
          listed({left.names.begin(), left.names.end()}, kNamed),
      "is its disk mounted, and no other over it? If the old data is given up, end " +
          std::string(one ? "this kernel" : "these kernels") + " first: " + kill);
}

}  // namespace berth::agents
