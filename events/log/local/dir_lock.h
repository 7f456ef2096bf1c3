// One process per log folder: a flock()ed file that names its holder's pid.
#pragma once

#include <memory>
#include <string>

#include "events/base/result.h"

namespace berth::local {

// Held until destroyed; the kernel releases the lock if the process dies in any way.
class DirLock {
 public:
  // Error "log-in-use" names the holder's pid.
  static Result<std::unique_ptr<DirLock>> acquire(const std::string& dir);
  ~DirLock();
  DirLock(const DirLock&) = delete;
  DirLock& operator=(const DirLock&) = delete;

 private:
  explicit DirLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace berth::local
