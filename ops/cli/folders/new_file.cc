#include "ops/cli/folders/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "events/base/hash.h"
#include "events/base/secrets.h"

namespace berth::cli {

NewFile::NewFile(int folder, std::string name) : folder_(folder), name_(std::move(name)) {}

NewFile::~NewFile() {
  if (!aside_.empty()) ::unlinkat(folder_, aside_.c_str(), 0);
}

Outcome<bool> NewFile::open() {
  struct stat info {};
  if (::fstatat(folder_, name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(info.st_mode) &&
      !S_ISLNK(info.st_mode) && !S_ISDIR(info.st_mode))
    return Failure{
        kConflict, "not-a-file", "'" + name_ + "' is a device or a pipe here", "take another name", {}};
  const std::string aside = ".berth-" + to_hex(random_bytes(8));
  file_ = Descriptor(
      ::openat(folder_, aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file_) return failed(errno);
  aside_ = aside;
  return true;
}

Outcome<bool> NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file_.get(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return failed(errno);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

Outcome<bool> NewFile::begin_again() {
  if (::ftruncate(file_.get(), 0) != 0 || ::lseek(file_.get(), 0, SEEK_SET) != 0) return failed(errno);
  return true;
}

Outcome<bool> NewFile::put_in_place(bool overwrite) {
  if (::close(file_.release()) != 0) return failed(errno);
  const unsigned flags = overwrite ? 0 : RENAME_NOREPLACE;
  if (::renameat2(folder_, aside_.c_str(), folder_, name_.c_str(), flags) == 0) {
    aside_.clear();
    return true;
  }
  if (errno == EEXIST && !overwrite)
    return Failure{kConflict, "path-exists", "'" + name_ + "' is there already", {}, {}};
  if (errno == EISDIR || errno == EEXIST || errno == ENOTEMPTY)
    return Failure{kConflict, "not-a-file", "'" + name_ + "' is a folder here", {}, {}};
  return failed(errno);
}

Failure NewFile::failed(int error) const {
  const bool full = error == ENOSPC || error == EDQUOT;
  return {kFailed,
          full ? Code("disk-full") : Code("write-failed"),
          "cannot write '" + name_ + "': " + std::strerror(error),
          full ? "make room here, and copy again" : "",
          {}};
}

}  // namespace berth::cli
