#include "events/base/files/durable_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>

namespace berth {
namespace {

std::error_code last_error() { return {errno, std::generic_category()}; }

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::error_code sync_opened(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
  if (fd < 0) return last_error();
  const std::error_code failed = ::fsync(fd) == 0 ? std::error_code() : last_error();
  ::close(fd);
  return failed;
}

std::error_code write_synced(const std::string& path, std::string_view bytes, unsigned mode) {
  ::unlink(path.c_str());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return last_error();
  std::error_code failed;
  while (!bytes.empty() && !failed) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      failed = last_error();
  }
  if (!failed && ::fsync(fd) != 0) failed = last_error();
  ::close(fd);
  return failed;
}

}  // namespace

std::error_code sync_folder(const std::string& folder) { return sync_opened(folder, O_RDONLY | O_DIRECTORY); }

std::error_code sync_file(const std::string& path) { return sync_opened(path, O_RDONLY); }

std::error_code write_durably(const std::string& path, std::string_view bytes, unsigned mode) {
  const std::string aside = path + ".new";
  if (const auto failed = write_synced(aside, bytes, mode)) return failed;
  if (::rename(aside.c_str(), path.c_str()) != 0) return last_error();
  return sync_folder(folder_of(path));
}

std::error_code remove_durably(const std::string& path) {
  if (::unlink(path.c_str()) != 0) return errno == ENOENT ? std::error_code() : last_error();
  return sync_folder(folder_of(path));
}

}  // namespace berth
