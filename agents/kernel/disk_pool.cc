#include "agents/kernel/disk_pool.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "agents/kernel/run_tool.h"
#include "agents/kernel/shim/disk.h"
#include "agents/kernel/shim/layer.h"
#include "agents/kernel/shim/remove_tree.h"
#include "events/base/edge_errors.h"

namespace berth::agents {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kBytesMin = 16 << 20;
constexpr int kNice = 10;  // kernels' starts go first
constexpr auto kTryAgain = std::chrono::seconds(10);
constexpr std::size_t kSizesMax = 8;  // with spares: those that were asked for last

constexpr std::int64_t kPartKept = 10;  // of what is free

// Whether the blocks that were taken for this file are kept for it. Empty: they are, else why not. btrfs
// takes new ones for each write, and where it is told not to (nocow) writes to a full one come to a
// standstill.
std::string why_not_kept(const std::string& path, std::int64_t bytes) {
  struct stat info {};
  struct statfs system {};
  if (stat(path.c_str(), &info) != 0 || statfs(path.c_str(), &system) != 0) return std::strerror(errno);
  if (system.f_type == BTRFS_SUPER_MAGIC) return "btrfs takes new blocks for each write";
  if (info.st_blocks * 512 < bytes) return "its file system, such as ZFS, takes no blocks beforehand";
  return "";
}

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
  std::error_code error;
  fs::create_directories(config_.folder, error);
  for (const auto& entry : fs::directory_iterator(config_.folder, error))
    if (entry.path().filename().string().starts_with("spare-")) fs::remove(entry.path(), error);
  const std::string start = config_.folder + "/template";
  shim::remove_tree(start);
  if (mkdir(start.c_str(), 0755) != 0 || chown(start.c_str(), config_.owner, config_.owner) != 0 ||
      chmod(start.c_str(), 0755) != 0 ||  // whatever our umask is
      !shim::make_layer(start, config_.owner))
    return make_error("data-folder", "cannot make folders in " + start + ": " + std::strerror(errno));
  if (config_.bytes == 0) return {};
  auto first = make_spare(config_.bytes);
  if (!first.ok()) return first.error();
  sizes_[config_.bytes].spares.push_back(std::move(*first));
  return {};
}

Result<KernelDisk> DiskPool::make_spare(std::int64_t bytes) {
  if (bytes < kBytesMin)
    return make_error("disk-bound-too-small", "a kernel's disk must be at least 16m",
                      "--disk-per-kernel 10g");
  KernelDisk disk;
  {
    const std::lock_guard lock(mutex_);
    disk.file = config_.folder + "/spare-" + std::to_string(next_++) + ".img";
  }
  const Descriptor file(::open(disk.file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file || ftruncate(file.get(), bytes) != 0)
    return make_error("data-folder", "cannot make " + disk.file + ": " + std::strerror(errno));
  // No journal: after a crash of the machine no kernel goes on with it.
  const auto made = run_tool({"/sbin/mke2fs", "-q", "-F", "-t", "ext4", "-m", "0", "-O", "^has_journal", "-E",
                              "lazy_itable_init=1,nodiscard", "-d", config_.folder + "/template", disk.file},
                             closing_, [] {});
  if (made.exit_code != 0) {
    unlink(disk.file.c_str());
    return make_error("tool-missing", "mke2fs cannot make a kernel's file system: " + made.errors,
                      "install e2fsprogs");
  }
  std::string why;  // the shim says it, if it cannot mount it either
  disk.mount = shim::mount_disk(disk.file, why);
  return disk;
}

void DiskPool::keep_spares() {
  setpriority(PRIO_PROCESS, 0, kNice);  // of this thread and of what it runs
  std::unique_lock lock(mutex_);
  while (!closing_) {
    const std::int64_t bytes = size_without_spares();
    if (bytes == 0) {
      changed_.wait(lock);
      continue;
    }
    lock.unlock();
    auto spare = make_spare(bytes);
    lock.lock();
    if (!spare.ok())
      changed_.wait_for(lock, kTryAgain);
    else if (const auto size = sizes_.find(bytes); size != sizes_.end())
      size->second.spares.push_back(std::move(*spare));
    else
      unlink(spare->file.c_str());
  }
}

std::int64_t DiskPool::size_without_spares() const {
  for (const auto& [bytes, size] : sizes_)
    if (size.spares.size() < config_.spares) return bytes;
  return 0;
}

void DiskPool::forget_oldest_size() {
  const auto oldest = std::min_element(sizes_.begin(), sizes_.end(), [](const auto& a, const auto& b) {
    return a.second.taken < b.second.taken;
  });
  for (const KernelDisk& spare : oldest->second.spares) unlink(spare.file.c_str());
  sizes_.erase(oldest);
}

// That a kernel's disk can be made here, and that what it was promised is kept for it.
Result<void> DiskPool::probe() {
  auto probe = make_spare(kBytesMin);
  if (!probe.ok()) return probe.error();
  const bool takes = take_blocks(probe->file, kBytesMin);
  const std::string why = std::strerror(errno);
  const std::string why_not = takes ? why_not_kept(probe->file, kBytesMin) : "";
  unlink(probe->file.c_str());
  if (!takes)
    return make_error(kDiskFull, config_.folder + ": a kernel's disk cannot take its blocks: " + why);
  if (!why_not.empty())
    return make_error(
        "disk-not-kept",
        config_.folder + ": what a kernel is promised of the disk is not kept for it: " + why_not,
        "a data folder on ext4 or xfs; without one sessions share what is free");
  if (!probe->mount)
    return make_error("data-folder", config_.folder + ": a kernel's disk cannot be mounted",
                      "the machine has no loop device left, or the agent may not use one");
  return {};
}

Result<std::int64_t> DiskPool::capacity() {
  if (!probed_) {
    if (auto good = probe(); !good.ok()) return good.error();
    probed_ = true;
  }
  struct statvfs disk {};
  if (statvfs(config_.folder.c_str(), &disk) != 0)
    return make_error("data-folder", config_.folder + ": " + std::strerror(errno));
  auto bytes = static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(config_.folder, error)) {
    struct stat file {};
    const bool is_kernels =
        entry.path().extension() == ".img" && !entry.path().filename().string().starts_with("spare-");
    if (is_kernels && stat(entry.path().c_str(), &file) == 0) bytes += file.st_blocks * 512;
  }
  return (bytes - bytes / kPartKept) >> 20 << 20;
}

Result<KernelDisk> DiskPool::take(const std::string& key, std::int64_t bytes) {
  KernelDisk disk;
  {
    const std::lock_guard lock(mutex_);
    Size& size = sizes_[bytes];
    size.taken = ++takes_;
    if (!size.spares.empty()) {
      disk = std::move(size.spares.back());
      size.spares.pop_back();
    }
    if (sizes_.size() > kSizesMax) forget_oldest_size();
  }
  changed_.notify_all();
  if (disk.file.empty()) {
    auto made = make_spare(bytes);
    if (!made.ok()) return made.error();
    disk = std::move(*made);
  }
  const std::string path = config_.folder + "/" + key + ".img";
  if (take_blocks(disk.file, bytes) && rename(disk.file.c_str(), path.c_str()) == 0) {
    disk.file = path;
    return disk;
  }
  const std::string why = std::strerror(errno);
  unlink(disk.file.c_str());
  return make_error(kDiskFull, "the agent's disk cannot keep " + std::to_string(bytes >> 20) +
                                   " MiB for another kernel: " + why);
}

}  // namespace berth::agents
