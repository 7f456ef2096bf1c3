// BuildLock: what lets one build of an image run at a time on a machine: a lock on a file, which says who has
// it. The lock ends with the process that took it.
#pragma once

#include <string>

#include "events/base/result.h"

namespace berth::cli {

class BuildLock {
 public:
  BuildLock() = default;
  ~BuildLock();
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;

  // `who`: a line for the others, "jupyter (process 4711)". False: somebody else has the lock. Code:
  // build-lock-unusable.
  Result<bool> take(const std::string& path, const std::string& who);
  // The line of whoever has the lock; after take() gave false.
  const std::string& holder() const { return holder_; }

 private:
  int fd_ = -1;
  std::string holder_;
};

}  // namespace berth::cli
