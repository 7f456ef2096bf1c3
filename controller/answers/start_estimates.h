// StartEstimates: when a waiting session is expected to start, from how long sessions of each kind ran
// before; and how often such estimates came true.
//
// Run times are those of the journal (from RUNNING to the end), so every node that read the same ends answers
// the same. Memory is bounded: the newest run times of each kind, and the kinds used last. Times are
// microseconds. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/answers/estimate.h"
#include "controller/answers/types.h"
#include "projections/tables/state.h"

namespace berth::controller {

// A start as expected: by then, in 50 and in 90 of 100 cases.
struct ExpectedStart {
  std::optional<Timestamp> p50;
  std::optional<Timestamp> p90;
  placement::NoEstimate none50 = placement::NoEstimate::kNone;  // why there is no p50
  placement::NoEstimate none90 = placement::NoEstimate::kNone;
};

class StartEstimates {
 public:
  static constexpr std::array<int, 2> kPercents = {50, 90};
  static constexpr std::size_t kRunsOfKind = 128;  // newest ones
  static constexpr std::size_t kKinds = 1024;
  static constexpr std::size_t kTold = 4096;     // answers whose session has not started yet
  static constexpr std::size_t kRunsToTell = 3;  // fewer say nothing

  // A session's row changed: its end is one run time more, its start is compared with the estimate.
  void on_session(const projections::SessionRow* before, const projections::SessionRow* after);
  // A session that ended before the state begins. Call it oldest first.
  void note_end(const projections::SessionRow& ended);
  void clear();

  // By a run of the scheduler on `cluster`, which is undone. There is no estimate, and a reason for that, if
  // the sessions that hold slots declared no end and their kinds have no history, if the session waits for
  // something else than room, or if the search would cost too much. REQUIRES: `cluster` equals `state`.
  ExpectedStart expect(placement::Cluster& cluster, const projections::State& state,
                       const projections::SessionRow& session, Timestamp now) const;
  // Somebody was told this estimate: it will be compared with what comes. Only the first of each session
  // counts.
  void told(const SessionId& session, const ExpectedStart& start, Timestamp now);

  // The estimate as an answer gives it, with how often earlier ones came true.
  StartEstimate with_record(const ExpectedStart& start) const;
  // By kPercents.
  const std::array<placement::Calibration, 2>& calibration() const { return calibration_; }

 private:
  struct Runs {
    std::deque<std::int64_t> times;  // oldest first
    std::uint64_t used = 0;          // by uses_: when it grew last
  };
  struct Told {
    ExpectedStart start;
    Timestamp at = 0;
  };
  void add(const std::string& kind, std::int64_t time);
  void take_back(const projections::SessionRow& ended);
  std::vector<std::int64_t> history_of(const projections::SessionRow& session) const;
  // By kPercents: when each session that holds slots in the group is expected to end.
  using Ends = std::array<std::vector<placement::ExpectedEnd>, 2>;
  Ends ends(const projections::State& state, const projections::SessionRow& session, Timestamp now) const;
  void started(const projections::SessionRow& session);

  std::map<std::string, Runs> kinds_;
  std::uint64_t uses_ = 0;
  std::map<SessionId, Told> told_;
  std::deque<SessionId> told_order_;
  std::array<placement::Calibration, 2> calibration_;
};

}  // namespace berth::controller
