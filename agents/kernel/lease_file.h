// LeaseFile: the deadline that all shims watch, in one small file that is written in place at each
// acknowledged beat (P24).
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "agents/kernel/shim/records.h"
#include "events/base/clock.h"
#include "events/base/result.h"

namespace berth::agents {

// Thread-safe.
class LeaseFile {
 public:
  ~LeaseFile();
  LeaseFile() = default;
  LeaseFile(const LeaseFile&) = delete;
  LeaseFile& operator=(const LeaseFile&) = delete;

  // A deadline of an earlier boot of the machine is dropped. Codes: data-folder.
  Result<void> open(const std::string& path);
  // Whether remember_boot() was called in this boot of the machine, before open().
  bool is_of_this_boot() const { return of_this_boot_; }
  // Once what the earlier boot left is dealt with. Codes: data-folder.
  Result<void> remember_boot();
  // Moves the deadline (never back) and returns the generation. If the deadline has passed, a new generation
  // begins first: every kernel of the old one is over, even if its shim slept through the end.
  std::uint64_t extend(Timestamp lease_until);
  Timestamp until() const;  // 0: there was none in this boot

 private:
  mutable std::mutex mutex_;
  std::string boot_path_;
  bool of_this_boot_ = false;
  shim::Lease lease_;
  int fd_ = -1;
};

}  // namespace berth::agents
