// The ledger of kernels that this machine was told to start: what keeps a (kernel, attempt) from running
// again after a power failure has taken the younger files. Records of the shims are in the page cache, which
// a killed process does not lose.
//
// Text lines "+KEY crc" and "-KEY crc"; a line that does not check is dropped (it was being written when the
// power went). Rewritten aside and renamed when opened and when most of it is history. One thread at a time.
#pragma once

#include <set>
#include <string>

#include "events/base/result.h"

namespace berth::agents {

class Claims {
 public:
  ~Claims();
  Claims() = default;
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  // Codes: data-folder.
  Result<void> open(const std::string& path);
  void add(const std::string& name);     // durable after sync()
  void remove(const std::string& name);  // may be lost: then recovery finds the kernel once more
  // Writes what is new, and makes what was added durable; once for a whole batch. False: nothing may be
  // started.
  bool sync();
  const std::set<std::string>& names() const { return names_; }

 private:
  bool rewrite();
  void put(char sign, const std::string& name);

  std::string path_;
  std::set<std::string> names_;
  std::string pending_;
  bool unsynced_ = false;
  std::size_t lines_ = 0;
  int fd_ = -1;
};

}  // namespace berth::agents
