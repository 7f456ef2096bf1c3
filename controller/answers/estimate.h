// When a waiting session will start, estimated from when those that run are expected to end.
//
// Integers in microseconds. What is expected of a session comes from the caller: its declared limit and the
// past run times of its kind. New sessions and changes of agents are not foreseen, so an estimate is
// published with its calibration: the part of past estimates that were met.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "controller/placement/cluster/cluster.h"

namespace berth::placement {

// The smallest value that `percent` of the values do not exceed (nearest rank); nullopt of none. `sorted`:
// ascending.
std::optional<std::int64_t> quantile(std::span<const std::int64_t> sorted, int percent);

// How much longer a session runs that has run for `so_far`: the quantile of the past run times that were
// longer, but no longer than its declared limit (0: none). nullopt: nothing is known.
std::optional<std::int64_t> remaining(std::span<const std::int64_t> sorted_history, std::int64_t so_far,
                                      std::int64_t declared, int percent);

struct ExpectedEnd {
  SessionId session;
  std::int64_t in_us = 0;  // from now, at one percentile
};

// Why there is none.
enum class NoEstimate : std::uint8_t {
  kNone,
  kNotWaiting,   // it does not wait, or its hold is in the way
  kEndsUnknown,  // not by those ends: too few of those who are in the way are expected to end
  kBound,        // within the bound it does not start
};
std::string_view to_string(NoEstimate none);  // "ends-unknown"; stable. kNone: empty

struct ForecastStart {
  std::optional<std::int64_t> in_us;
  NoEstimate none = NoEstimate::kNone;
};

struct ForecastOptions {
  Timestamp now = 0;
  std::uint64_t work = 20'000;        // where it is walked (whatif.h)
  std::uint64_t copy_work = 100'000;  // else
};

// The wait after which a pass would start the session if the others end as expected.
//
// Walked where that can be: each step is a run with those who have ended by then. Else on a copy on which
// time goes on: at each end a pass is made, whoever it places holds the room until the end that it declared,
// and whom it preempts ends at once and comes back no more. Selections that ask a policy of one's own
// concentrate.
ForecastStart estimate_start(Cluster& cluster, const SessionId& session, std::vector<ExpectedEnd> ends,
                             const ForecastOptions& options = {});

// Of the estimates of one percentile whose sessions have started: met when the wait was not longer.
struct Calibration {
  std::uint64_t made = 0;
  std::uint64_t met = 0;
  void note(std::int64_t estimated_us, std::int64_t waited_us);
  int met_permille() const;  // 0 of none
};

}  // namespace berth::placement
