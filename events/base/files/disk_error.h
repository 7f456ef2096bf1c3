// Turns an errno of a disk into an error that tells whether time mends it. For edges only: no pure folder
// includes this header; a lint refuses that.
#pragma once

#include <string>

#include "events/base/clock.h"
#include "events/base/edge_errors.h"

namespace berth {

// How long an error is waited for that either passes soon, or is of a dead disk (is_disk_failing()).
inline constexpr Duration kDiskPatience = 30 * kSecond;

// `number`: an errno. Codes: disk-full (a quota that is used up, too), resources-short (descriptors, memory),
// disk-failing; `otherwise`: no time mends that.
Error disk_error(int number, const std::string& message, Code otherwise);

// An error as it is, or as `otherwise` once the disk has been failing for longer than patience allows. One
// thread.
class DiskPatience {
 public:
  explicit DiskPatience(Duration most = kDiskPatience) : most_(most) {}
  void succeeded() { since_ = 0; }
  Error judge(Error error, Timestamp boottime, Code otherwise);

 private:
  const Duration most_;
  Timestamp since_ = 0;  // boottime; 0: it is not failing
};

}  // namespace berth
