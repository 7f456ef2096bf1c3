// Orphans: exit statuses of processes that came to the launcher without a shim of their own. A process is
// named by pid and start, so a pid that is used again does not get an earlier process's end. Standard library
// only.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "agents/kernel/shim/records.h"

namespace berth::agents::shim {

class Orphans {
 public:
  // Beyond kMax the oldest goes.
  static constexpr std::size_t kMax = 4096;

  void note(const ProcessId& process, int status);
  std::optional<int> take(const ProcessId& process);
  std::size_t size() const { return ended_.size(); }

 private:
  struct Ended {
    ProcessId process;
    int status = 0;
  };
  std::deque<Ended> ended_;
};

}  // namespace berth::agents::shim
