// A kernel's output on disk: segments of kLogSegment bytes, the newest kLogSegments of them. Standard library
// only.
#pragma once

#include <cstdint>
#include <string_view>

#include "agents/kernel/shim/records.h"

namespace berth::agents::shim {

// Segment N holds the bytes [N * kLogSegment, (N + 1) * kLogSegment) of the kernel's output, so an offset
// names its segment.
class LogWriter {
 public:
  explicit LogWriter(KernelFiles files) : files_(std::move(files)) {}
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // `resume`: goes on behind the output that an earlier shim wrote. Else the first output makes the file.
  bool open(bool resume);
  // A full disk drops the bytes: the kernel must not block on its log.
  void append(std::string_view bytes);

 private:
  bool open_segment();

  KernelFiles files_;
  int fd_ = -1;
  std::int64_t segment_ = 0;
  std::int64_t used_ = 0;  // bytes in this segment
};

// The first and one past the last segment on disk; equal when there is none.
struct LogSegments {
  std::int64_t first = 0;
  std::int64_t end = 0;
};
LogSegments find_segments(const KernelFiles& files);

}  // namespace berth::agents::shim
