#include "agents/kernel/fast_folder.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "agents/kernel/cgroup_layout.h"
#include "agents/kernel/shim/own_cgroup.h"
#include "agents/kernel/shim/remove_tree.h"
#include "agents/kernel/shim/system.h"
#include "events/base/clock.h"
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

// Waited for the lock of who removes a folder: longer than the ends of what kernels have left in it take.
constexpr std::int64_t kRemovalMax = 30 * kSecond;
constexpr useconds_t kPause = 2000;

Descriptor open_folder(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool is_own_and_closed(const Descriptor& folder) {
  struct stat info {};
  return fstat(folder.get(), &info) == 0 && info.st_uid == geteuid() && (info.st_mode & 0077) == 0;
}

// False: somebody has a lock against this one, or the folder is no longer the one at the path: who had the
// lock before has removed it.
bool lock(const Descriptor& folder, const std::string& path, int kind) {
  struct stat held {
  }, named{};
  return flock(folder.get(), kind | LOCK_NB) == 0 && fstat(folder.get(), &held) == 0 &&
         lstat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0 || errno != ENOENT; }

// Whose data folder is gone: what the folder names. Else nothing.
std::optional<std::string> left_by(const std::string& folder) {
  if (!shim::is_own_closed_folder(folder)) return std::nullopt;
  auto data = shim::read_file(folder + shim::kNameOfData);
  return data && !data->empty() && !exists(*data) ? std::move(data) : std::nullopt;
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
    if (!entry.path().filename().string().starts_with("berth-") || !left_by(folder)) continue;
    const Descriptor opened = open_folder(folder);
    if (!opened || !lock(opened, folder, LOCK_EX)) continue;
    const auto data = left_by(folder);  // its agent may have come and gone before the lock
    if (data && !has_live_kernel(folder) && end_leftovers(*data)) shim::remove_tree(folder);
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

Result<Descriptor> hold_fast_folder(const std::string& folder, const std::string& data_folder) {
  // Two agents that begin at once write one each.
  const std::string name = folder + shim::kNameOfData, aside = name + "." + std::to_string(gettid());
  for (const std::int64_t until = shim::boottime_now() + kRemovalMax;; usleep(kPause)) {
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
      return make_error("data-folder", "cannot make " + folder + ": " + std::strerror(errno));
    Descriptor opened = open_folder(folder);
    const bool is_gone = !opened && errno == ENOENT;
    if (!is_gone && (!opened || !is_own_and_closed(opened)))
      return make_error("data-folder", folder + " is not a folder of root alone",
                        "remove it: somebody else made it");
    if (!is_gone && lock(opened, folder, LOCK_SH)) {
      if (shim::read_file(name) == data_folder || shim::write_aside(name, aside, data_folder)) return opened;
      if (errno != ENOENT)
        return make_error("data-folder", "cannot write into " + folder + ": " + std::strerror(errno));
    }
    if (shim::boottime_now() > until)
      return make_error("data-folder", "another process has been removing " + folder + " for too long",
                        "does an agent hang? fuser -v " + folder);
  }
}

Result<std::string> fast_folder_for(const std::string& data_folder) {
  if (geteuid() != 0) return data_folder;
  for (const char* place : kPlaces) {
    struct statfs info {};
    if (statfs(place, &info) != 0 || info.f_type != TMPFS_MAGIC || access(place, W_OK) != 0) continue;
    std::string folder = fast_folder_in(place, data_folder);
    if (auto held = hold_fast_folder(folder, data_folder); !held.ok()) return held.error();
    return folder;
  }
  return data_folder;
}

}  // namespace berth::agents
