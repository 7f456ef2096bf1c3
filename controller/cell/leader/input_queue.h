// InputQueue: requests and reports that the leader has read and not yet decided, in offset order (P13).
//
// A new leader has the last input of each partition compared with the log. Before the answers it decides
// nothing, and its driver reads no input. Owned by a Leader.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "controller/cell/ports.h"

namespace berth::controller {

class InputQueue {
 public:
  // An input; or, with `rewind`, the news that the inputs before this offset are gone or are read again.
  struct Item {
    LogEntry entry;
    bool rewind = false;
  };
  enum class Checked : std::uint8_t {
    kSame,           // the partition is read from expected() on
    kReadAgain,      // the partition is read from its beginning: it was truncated or replaced
    kGlanceSame,     // the answer to a glance: nothing changes
    kGlanceDiffers,  // the answer to a glance; the next election finds out from where to read again
  };

  // REQUIRES: nothing was read yet. The answers come to checked().
  void wait_for(const std::vector<CheckInput>& checks);
  [[nodiscard]] Checked checked(const InputChecked& answer);
  bool all_checked() const { return unchecked_.empty(); }
  Offset expected(const Partition& partition) const;

  // Takes the input in if it is the next of its partition, or notes a rewind if it skips ahead (retention).
  // An input that was read before is dropped; a gap (P30) is passed over.
  void read(LogEntry entry);

  bool empty() const { return items_.empty(); }
  Item pop();

 private:
  std::deque<Item> items_;
  std::map<Partition, Offset> expected_;  // the next input to be queued
  std::set<Partition> unchecked_;         // partitions whose last input is not yet compared with the log
};

// What to compare: the last input of each partition that the journal has taken.
std::vector<CheckInput> checks_of_inputs(const projections::State& state, const LogLayout& layout);

}  // namespace berth::controller
