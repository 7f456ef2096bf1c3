#include "agents/kernel/disk_pool.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "agents/kernel/run_tool.h"
#include "agents/kernel/shim/remove_tree.h"
#include "events/base/edge_errors.h"

namespace berth::agents {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kBytesMin = 16 << 20;
constexpr auto kTryAgain = std::chrono::seconds(10);

// Takes all blocks of the file from the disk now. False: errno says why.
bool take_blocks(const std::string& path, std::int64_t bytes) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct statvfs disk {};
  if (fd < 0) return false;
  // Asked for first: taking more than there is would fill the disk before it fails.
  const bool enough =
      fstatvfs(fd, &disk) == 0 && static_cast<std::uint64_t>(bytes) / disk.f_frsize < disk.f_bavail;
  const bool taken = enough && fallocate(fd, 0, 0, bytes) == 0;
  const int why = enough ? errno : ENOSPC;
  close(fd);
  errno = why;
  return taken;
}

}  // namespace

Result<std::unique_ptr<DiskPool>> DiskPool::open(DiskPoolConfig config) {
  std::unique_ptr<DiskPool> pool(new DiskPool(std::move(config)));
  if (auto ready = pool->prepare(); !ready.ok()) return ready.error();
  pool->maker_ = std::thread([pool = pool.get()] { pool->keep_spares(); });
  return pool;
}

DiskPool::~DiskPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (maker_.joinable()) maker_.join();
}

Result<void> DiskPool::prepare() {
  if (config_.bytes < kBytesMin)
    return make_error("disk-bound-too-small", "a kernel's disk must be at least 16m",
                      "--disk-per-kernel 10g");
  std::error_code error;
  fs::create_directories(config_.folder, error);
  for (const auto& entry : fs::directory_iterator(config_.folder, error))
    if (entry.path().filename().string().starts_with("spare-")) fs::remove(entry.path(), error);
  const std::string start = config_.folder + "/template";
  shim::remove_tree(start);
  for (const std::string& folder : {start, start + "/upper", start + "/work"})
    if (mkdir(folder.c_str(), 0755) != 0 || chmod(folder.c_str(), 0755) != 0 ||  // whatever our umask is
        chown(folder.c_str(), config_.owner, config_.owner) != 0)
      return make_error("data-folder", "cannot make " + folder + ": " + std::strerror(errno));
  auto first = make_spare();
  if (!first.ok()) return first.error();
  ready_.push_back(*first);
  return {};
}

Result<std::string> DiskPool::make_spare() {
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    path = config_.folder + "/spare-" + std::to_string(next_++) + ".img";
  }
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool sized = fd >= 0 && ftruncate(fd, config_.bytes) == 0;
  if (fd >= 0) close(fd);
  if (!sized) return make_error("data-folder", "cannot make " + path + ": " + std::strerror(errno));
  // No journal: after a crash of the machine no kernel goes on with it.
  const std::atomic<bool> go_on = false;
  const auto made = run_tool({"/sbin/mke2fs", "-q", "-F", "-t", "ext4", "-m", "0", "-O", "^has_journal", "-E",
                              "lazy_itable_init=1,nodiscard", "-d", config_.folder + "/template", path},
                             go_on, [] {});
  if (made.exit_code == 0) return path;
  unlink(path.c_str());
  return make_error("tool-missing", "mke2fs cannot make a kernel's file system: " + made.errors,
                    "install e2fsprogs");
}

void DiskPool::keep_spares() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    if (ready_.size() >= config_.spares) {
      changed_.wait(lock);
      continue;
    }
    lock.unlock();
    auto spare = make_spare();
    lock.lock();
    if (spare.ok())
      ready_.push_back(std::move(*spare));
    else
      changed_.wait_for(lock, kTryAgain);
  }
}

Result<std::string> DiskPool::take(const std::string& key) {
  std::string spare;
  {
    const std::lock_guard lock(mutex_);
    if (!ready_.empty()) {
      spare = std::move(ready_.back());
      ready_.pop_back();
    }
  }
  changed_.notify_all();
  if (spare.empty()) {
    auto made = make_spare();
    if (!made.ok()) return made.error();
    spare = std::move(*made);
  }
  const std::string path = config_.folder + "/" + key + ".img";
  if (take_blocks(spare, config_.bytes) && rename(spare.c_str(), path.c_str()) == 0) return path;
  const std::string why = std::strerror(errno);
  unlink(spare.c_str());
  return make_error(kDiskFull, "the agent's disk cannot keep " + std::to_string(config_.bytes >> 20) +
                                   " MiB for another kernel: " + why);
}

}  // namespace berth::agents
