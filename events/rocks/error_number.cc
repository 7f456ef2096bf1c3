#include "events/rocks/error_number.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace berth::rocks {
namespace {

// RocksDB keeps no errno but the text that the machine has for it, at the end of its own words
// (env/io_posix.cc).
constexpr int kKnown[] = {EDQUOT, EMFILE, ENFILE,  ENOMEM, ENOBUFS, EAGAIN, EIO,         EINTR, ETIMEDOUT,
                          EBUSY,  ENOLCK, EROFS,   ENODEV, ENXIO,   EACCES, EPERM,       EFBIG, ENOSPC,
                          ESTALE, ENOENT, ENOTDIR, EINVAL, EEXIST,  EBADF,  ENAMETOOLONG};

}  // namespace

int error_number(const rocksdb::Status& status) {
  using SubCode = rocksdb::Status::SubCode;
  if (status.ok() || status.IsCorruption()) return 0;
  if (status.subcode() == SubCode::kNoSpace || status.subcode() == SubCode::kSpaceLimit) return ENOSPC;
  if (status.subcode() == SubCode::kStaleFile) return ESTALE;
  if (status.IsMemoryLimit()) return ENOMEM;
  if (status.IsBusy()) return EBUSY;
  const std::string text = status.ToString();
  for (const int number : kKnown)
    if (text.ends_with(std::strerror(number))) return number;
  return 0;
}

}  // namespace berth::rocks
