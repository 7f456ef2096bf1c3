// Ends: how far partitions are known to reach. Thread-safe.
//
// A broker that stood still and goes on takes itself for the leader until it hears of the one that was
// elected meanwhile, and tells the end at which it stopped. librdkafka 2.0.2 asks without the leader's epoch,
// so nothing in the answer shows that. An end below one that is known is therefore believed only when every
// leader that was asked has told such an end for kShorterFor.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>

#include "events/log/positions.h"

namespace berth::kafka {

class Ends {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kShorterFor{10};

  // Records below `end` were read.
  void reached(Partition partition, Offset end);
  // A leader told this end. False: the partition was longer, and may be again.
  bool believes(Partition partition, Offset end, SteadyTime now);

 private:
  struct Known {
    Offset end = 0;
    std::optional<SteadyTime> shorter_since;
  };
  std::mutex mutex_;
  std::map<Partition, Known> known_;
};

}  // namespace berth::kafka
