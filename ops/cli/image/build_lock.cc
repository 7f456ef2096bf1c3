#include "ops/cli/image/build_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace berth::cli {
namespace {

Error unusable(const std::string& path) {
  return make_error("build-lock-unusable", "cannot use " + path + ": " + std::strerror(errno),
                    "it lets one image be built at a time; image.build_lock (berth config show) names "
                    "another file");
}

}  // namespace

BuildLock::~BuildLock() {
  if (fd_ >= 0) ::close(fd_);
}

Result<bool> BuildLock::take(const std::string& path, const std::string& who) {
  if (fd_ < 0) fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd_ < 0) return unusable(path);
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return unusable(path);
    std::array<char, 256> text;
    const ssize_t size = ::pread(fd_, text.data(), text.size(), 0);
    holder_.assign(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    if (holder_.empty()) holder_ = "another image";  // who has just taken it writes next
    return false;
  }
  const std::string line = who.substr(0, 256);
  if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, line.data(), line.size(), 0) < 0) return unusable(path);
  return true;
}

}  // namespace berth::cli
