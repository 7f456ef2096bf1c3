// Claims: the ledger of kernels that this machine was told to start. After a power failure, which takes the
// younger files, the ledger keeps a (kernel, attempt) from running again. (The shims' records are in the page
// cache: a killed process loses nothing of them.)
//
// The file has text lines "+KEY crc" and "-KEY crc". A line with a wrong crc is dropped: the power failed
// while it was written. The file is rewritten aside and renamed when opened and when most of its lines are
// history. One thread at a time.
//
// A line "~KEY crc" is of a kernel that was forgotten: a journal that lost the kernel's end has it started
// once more. The newest kForgottenMax are kept.
#pragma once

#include <deque>
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
  void remove(const std::string& name);  // may be lost; then recovery finds the kernel once more
  // As remove(), and the kernel never starts again. Returns the name that is not kept any more for it; may be
  // empty.
  std::string forget(const std::string& name);
  bool is_forgotten(const std::string& name) const { return forgotten_.contains(name); }
  // Writes the new lines and makes the added claims durable; once for a whole batch. False: nothing may be
  // started.
  bool sync();
  const std::set<std::string>& names() const { return names_; }
  const std::set<std::string>& forgotten() const { return forgotten_; }

  static constexpr std::size_t kForgottenMax = 1024;

 private:
  std::string keep_forgotten(const std::string& name);
  bool rewrite();
  bool append_to(const std::string& before);
  void put(char sign, const std::string& name);

  std::string path_;
  std::set<std::string> names_;
  std::set<std::string> forgotten_;
  std::deque<std::string> order_;  // of forgotten_, oldest first
  std::string pending_;
  bool unsynced_ = false;
  bool torn_ = false;  // the file may end in a part of a line
  std::size_t lines_ = 0;
  int fd_ = -1;
};

}  // namespace berth::agents
