// NodeFacts: what a process has counted and measured of itself since it started, beside the fold.
#pragma once

#include <prometheus/client_metric.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/base/clock.h"

namespace berth::controller {

struct AgentBeat {
  std::string agent;
  Timestamp heard = 0;  // boottime
};

struct SpaceOnDisk {
  std::uint64_t store = 0;           // bytes of the files of this process's state
  std::uint64_t used = 0, size = 0;  // of the file system that has it
};

struct NodeFacts {
  std::uint64_t events_applied = 0;
  std::uint64_t placements = 0;  // of this process as leader, as those below
  std::uint64_t requests = 0;
  std::uint64_t orders = 0;
  std::uint64_t lag = 0;     // records of the log that are not folded yet, as the log said last
  Timestamp flushed_at = 0;  // boottime: the state was written to its store; 0: not yet
  std::optional<SpaceOnDisk> space;
  prometheus::ClientMetric::Histogram queue_wait, pass, start;  // seconds
  bool hears_beats = false;                                     // only who leads does
  std::vector<AgentBeat> beats;
};

}  // namespace berth::controller
