// StartEstimates: when a waiting session is expected to start, from how long sessions of each kind ran
// before; and how often such answers came true.
//
// Run times are those of the journal (from RUNNING to the end), so every node that read the same ends answers
// the same. What is kept is bounded: the newest of each kind, the kinds used last. Times are microseconds.
// Owned by one strand, or behind its caller's lock.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/answers/estimate.h"
#include "projections/tables/state.h"

namespace berth::controller {

// A start as it was told: at the latest then, in so many of 100 cases.
struct ExpectedStart {
  std::optional<Timestamp> p50;
  std::optional<Timestamp> p90;
  placement::NoEstimate none50 = placement::NoEstimate::kNone;  // why not
  placement::NoEstimate none90 = placement::NoEstimate::kNone;
};

class StartEstimates {
 public:
  static constexpr std::array<int, 2> kPercents = {50, 90};
  static constexpr std::size_t kRunsOfKind = 128;  // newest ones
  static constexpr std::size_t kKinds = 1024;
  static constexpr std::size_t kTold = 4096;     // answers whose session has not started yet
  static constexpr std::size_t kRunsToTell = 3;  // fewer say nothing

  // A session's row changed: its end is a run time more, its start is compared with what was told of it.
  void on_session(const projections::SessionRow* before, const projections::SessionRow* after);
  // An end of the past, oldest first; for a history that is older than the state.
  void note_end(const projections::SessionRow& ended);
  void clear();

  // By a run of the scheduler on `cluster`, which equals `state`, undone. Nothing where it cannot be known,
  // and why: what holds slots declared no end and its kind has no history, the session waits for something
  // else than room, or the search would cost too much.
  ExpectedStart expect(placement::Cluster& cluster, const projections::State& state,
                       const projections::SessionRow& session, Timestamp now) const;
  // The answer was given to somebody: it will be compared with what comes. Once a session; later answers are
  // not counted.
  void told(const SessionId& session, const ExpectedStart& start, Timestamp now);

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
  std::vector<placement::ExpectedEnd> ends(const projections::State& state,
                                           const projections::SessionRow& session, Timestamp now,
                                           int percent) const;
  void started(const projections::SessionRow& session);

  std::map<std::string, Runs> kinds_;
  std::uint64_t uses_ = 0;
  std::map<SessionId, Told> told_;
  std::deque<SessionId> told_order_;
  std::array<placement::Calibration, 2> calibration_;
};

}  // namespace berth::controller
