#include "events/base/files/disk_error.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace berth {

Error disk_error(int number, const std::string& message, Code otherwise) {
  switch (number) {
    case ENOSPC:
    case EDQUOT: return make_error(kDiskFull, message, "free some space; it goes on by itself");
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
    case EAGAIN:
      return make_error(kResourcesShort, message,
                        "raise the limit (LimitNOFILE=), or end what takes so many; it goes on by itself");
    case EIO:
    case ESTALE:
    case ETIMEDOUT:
    case EINTR:
    case EBUSY:
    case ENOLCK:
      return make_error(kDiskFailing, message, "look at the disk (dmesg); it goes on if the error passes");
    default: return make_error(otherwise, message, "look at the disk: is it mounted, and writable?");
  }
}

Error DiskPatience::judge(Error error, Timestamp boottime, Code otherwise) {
  if (!is_disk_failing(error)) {
    since_ = 0;
    return error;
  }
  if (since_ == 0) since_ = std::max<Timestamp>(boottime, 1);
  if (boottime - since_ <= most_) return error;
  return make_error(
      otherwise,
      "the disk has failed for " + std::to_string((boottime - since_) / kSecond) + " s: " + error.message,
      "look at the disk (dmesg), then start again");
}

}  // namespace berth
