#include "agents/kernel/fast_folder.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "agents/kernel/cgroup_layout.h"
#include "agents/kernel/shim/own_cgroup.h"
#include "agents/kernel/shim/remove_tree.h"
#include "agents/kernel/shim/system.h"
#include "events/base/hash.h"

namespace berth::agents {
namespace fs = std::filesystem;
namespace {

// A live kernel's shim holds its lock.
bool has_live_kernel(const std::string& fast_folder) {
  std::error_code error;
  for (const auto& kernel : fs::directory_iterator(fast_folder + "/kernels", error)) {
    const int lock = shim::take_lock(kernel.path() / "lock");
    if (lock < 0) return true;
    close(lock);
  }
  return false;
}

constexpr const char* kPlaces[] = {"/run", "/dev/shm"};

std::string fast_folder_in(const std::string& place, const std::string& data_folder) {
  return place + "/berth-" + to_hex(as_view(blake2b_128(data_folder))).substr(0, 16);
}

// Of kernels whose shims were killed: no agent will ever ask for them. False: something of them stays.
bool end_leftovers(const std::string& data_folder) {
  const auto cgroups = read_cgroup_layout();
  bool all = true;
  if (!cgroups) return all;
  for (const std::string& cgroup : cgroups->folders(agent_cgroup(*cgroups, data_folder)))
    all = shim::remove_cgroup_tree(cgroup) && all;
  return all;
}

}  // namespace

void sweep_fast_folders(const std::string& place) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(place, error)) {
    const std::string folder = entry.path();
    if (!entry.path().filename().string().starts_with("berth-") || !shim::is_own_closed_folder(folder))
      continue;
    const auto data = shim::read_file(folder + shim::kNameOfData);
    if (!data || data->empty() || access(data->c_str(), F_OK) == 0 || errno != ENOENT) continue;
    if (has_live_kernel(folder)) continue;
    if (end_leftovers(*data)) shim::remove_tree(folder);
  }
}

std::vector<std::string> fast_folders_of(const std::string& data_folder) {
  std::vector<std::string> found;
  for (const char* place : kPlaces) {
    const std::string folder = fast_folder_in(place, data_folder);
    if (shim::is_own_closed_folder(folder) && shim::read_file(folder + shim::kNameOfData) == data_folder)
      found.push_back(folder);
  }
  return found;
}

Result<std::string> fast_folder_for(const std::string& data_folder) {
  if (geteuid() != 0) return data_folder;
  for (const char* place : kPlaces) {
    struct statfs info {};
    if (statfs(place, &info) != 0 || info.f_type != TMPFS_MAGIC) continue;
    const std::string folder = fast_folder_in(place, data_folder);
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) continue;
    if (!shim::is_own_closed_folder(folder))
      return make_error("data-folder", folder + " is not a folder of root alone",
                        "remove it: somebody else made it");
    if (shim::read_file(folder + shim::kNameOfData) == data_folder) return folder;
    if (!shim::write_aside(folder + shim::kNameOfData, folder + shim::kNameOfData + ".new", data_folder))
      return make_error("data-folder", "cannot write into " + folder + ": " + std::strerror(errno));
    return folder;
  }
  return data_folder;
}

}  // namespace berth::agents
