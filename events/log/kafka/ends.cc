#include "events/log/kafka/ends.h"

#include <algorithm>

namespace berth::kafka {

void Ends::reached(Partition partition, Offset end) {
  const std::lock_guard lock(mutex_);
  Known& known = known_[partition];
  if (end > known.end) known = {end, std::nullopt};
}

bool Ends::believes(Partition partition, Offset end, SteadyTime now) {
  const std::lock_guard lock(mutex_);
  Known& known = known_[partition];
  if (end < known.end) {
    if (!known.shorter_since) known.shorter_since = now;
    if (now < *known.shorter_since + kShorterFor) return false;
  }
  known = {end, std::nullopt};
  return true;
}

}  // namespace berth::kafka
