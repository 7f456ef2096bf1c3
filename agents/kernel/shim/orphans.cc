#include "agents/kernel/shim/orphans.h"

#include <algorithm>

namespace berth::agents::shim {

void Orphans::note(const ProcessId& process, int status) {
  if (ended_.size() == kMax) ended_.pop_front();
  ended_.push_back({process, status});
}

std::optional<int> Orphans::take(const ProcessId& process) {
  const auto found = std::find_if(ended_.begin(), ended_.end(), [&](const Ended& one) {
    return one.process.pid == process.pid && one.process.start == process.start;
  });
  if (found == ended_.end()) return std::nullopt;
  const int status = found->status;
  ended_.erase(found);
  return status;
}

}  // namespace berth::agents::shim
