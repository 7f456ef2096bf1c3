#include "events/log/local/dir_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "events/base/files/disk_error.h"
#include "events/log/log_errors.h"

namespace berth::local {
namespace {

std::string read_holder(int fd) {
  char text[32] = {};
  const ssize_t bytes = pread(fd, text, sizeof text - 1, 0);
  std::string pid = bytes > 0 ? std::string(text, static_cast<std::size_t>(bytes)) : std::string();
  while (!pid.empty() && pid.back() == '\n') pid.pop_back();
  return pid.empty() ? "unknown" : pid;
}

}  // namespace

Result<std::unique_ptr<DirLock>> DirLock::acquire(const std::string& dir) {
  const std::string path = dir + "/lock";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) {
    const int number = errno;
    return disk_error(number, "cannot open " + path + ": " + std::strerror(number), kLogIoError);
  }
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const Error error =
        make_error("log-in-use", "the log in " + dir + " is held by the process with pid " + read_holder(fd),
                   "one process at a time: stop that one, or take another folder");
    close(fd);
    return error;
  }
  const std::string pid = std::to_string(getpid()) + "\n";
  // The pid is for people; a full disk must not keep the log from opening.
  if (ftruncate(fd, 0) == 0) (void)!pwrite(fd, pid.data(), pid.size(), 0);
  return std::unique_ptr<DirLock>(new DirLock(fd));
}

DirLock::~DirLock() { close(fd_); }

}  // namespace berth::local
