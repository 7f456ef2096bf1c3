// CopyProgress: how far a copy is, for people at a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "ops/cli/shell.h"

namespace berth::cli {

class CopyProgress {
 public:
  explicit CopyProgress(Shell& shell);

  // Of the next file; `bytes`: how many it has.
  void begin(std::string name, std::uint64_t bytes);
  void add(std::uint64_t bytes);

 private:
  Shell& shell_;
  const std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point shown_;
  std::string name_;
  std::uint64_t whole_ = 0, done_ = 0;  // of this file
  std::uint64_t all_ = 0;               // of all files
};

}  // namespace berth::cli
