#include "agents/kernel/lease_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "agents/kernel/shim/system.h"

namespace berth::agents {

LeaseFile::~LeaseFile() {
  if (fd_ >= 0) close(fd_);
}

Result<void> LeaseFile::open(const std::string& path) {
  boot_path_ = path + ".boot";
  of_this_boot_ = shim::read_file(boot_path_).value_or("") == shim::boot_id();
  const auto old = shim::read_lease(path);
  if (old) lease_ = *old;
  if (!of_this_boot_) {
    lease_.until = 0;
    ++lease_.generation;
  }
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const std::uint64_t words[2] = {lease_.generation, static_cast<std::uint64_t>(lease_.until)};
  if (fd_ < 0 || pwrite(fd_, words, sizeof words, 0) != static_cast<ssize_t>(sizeof words))
    return make_error("data-folder", "cannot write " + path + ": " + std::strerror(errno),
                      "is the disk full?");
  return {};
}

Result<void> LeaseFile::remember_boot() {
  if (of_this_boot_ || shim::write_aside(boot_path_, boot_path_ + ".new", shim::boot_id())) return {};
  return make_error("data-folder", "cannot write " + boot_path_ + ": " + std::strerror(errno),
                    "is the disk full?");
}

Timestamp LeaseFile::until() const {
  const std::lock_guard lock(mutex_);
  return lease_.until;
}

std::uint64_t LeaseFile::extend(Timestamp lease_until) {
  const std::lock_guard lock(mutex_);
  if (lease_until <= lease_.until) return lease_.generation;
  if (lease_.until <= shim::boottime_now()) ++lease_.generation;
  lease_.until = lease_until;
  const std::uint64_t words[2] = {lease_.generation, static_cast<std::uint64_t>(lease_.until)};
  // 16 aligned bytes of one page: a reader sees them whole. A failed write means that kernels end early,
  // never late.
  [[maybe_unused]] const ssize_t wrote = pwrite(fd_, words, sizeof words, 0);
  return lease_.generation;
}

}  // namespace berth::agents
