// When a waiting session will start, estimated from the expected ends of the running ones.
//
// Integers in microseconds. The caller gives the expected ends, from declared limits and past run times. New
// sessions and changes of agents are not foreseen, so an estimate is published with its calibration: the part
// of past estimates that were met.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "controller/placement/cluster/cluster.h"

namespace berth::placement {

// The smallest value that `percent` of the values do not exceed (nearest rank); nullopt if there is no value.
// `sorted`: ascending.
std::optional<std::int64_t> quantile(std::span<const std::int64_t> sorted, int percent);

// How much longer a session will run after `so_far`: the quantile of those past run times that were longer,
// bounded by the declared limit (0: none). nullopt: nothing is known.
std::optional<std::int64_t> remaining(std::span<const std::int64_t> sorted_history, std::int64_t so_far,
                                      std::int64_t declared, int percent);

struct ExpectedEnd {
  SessionId session;
  std::int64_t in_us = 0;  // from now, at one percentile
};

// Why there is no estimate.
enum class NoEstimate : std::uint8_t {
  kNone,
  kNotWaiting,   // the session does not wait, or something else than room holds it
  kEndsUnknown,  // too few of the sessions in the way have an expected end
  kBound,        // no start was found within the bound of the search
  kNever,        // not even the empty group could hold the session
};
std::string_view to_string(NoEstimate none);  // "ends-unknown"; stable. kNone: empty

struct ForecastStart {
  std::optional<std::int64_t> in_us;
  NoEstimate none = NoEstimate::kNone;
};

struct ForecastOptions {
  Timestamp now = 0;
  std::uint64_t work = 20'000;        // bound of the search, in looks at an agent, if the group is walked
  std::uint64_t copy_work = 100'000;  // the same if each run is a pass over a copy (what_if.h)
};

// The wait after which a pass would start the session if the others end as expected.
//
// If the group can be walked (what_if.h), each step is a run without the sessions that have ended by then.
// Else time goes on in a copy, with a pass at each end: a session that is placed holds the room until its
// declared end, and a session that is preempted ends at once and does not come back. A group that selects by
// a policy of its own concentrates.
ForecastStart estimate_start(Cluster& cluster, const SessionId& session, std::vector<ExpectedEnd> ends,
                             const ForecastOptions& options = {});

// How often the estimates of one percentile came true, of sessions that have started: an estimate is met if
// the wait was not longer.
struct Calibration {
  std::uint64_t made = 0;
  std::uint64_t met = 0;
  void note(std::int64_t estimated_us, std::int64_t waited_us);
  int met_permille() const;  // 0 if there was no estimate
};

}  // namespace berth::placement
