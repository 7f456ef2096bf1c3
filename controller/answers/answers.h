// Answers: a scheduler's model of the durable state, and the answers that are worked out on it.
//
// The model is built at the first question and follows the state from then on, row change by row change: a
// process that is never asked pays nothing. Not thread-safe, and a question changes the model while it is
// answered.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "controller/answers/dry_run_answer.h"
#include "controller/answers/why.h"
#include "projections/fold/fold.h"

namespace berth::controller {

class Answers {
 public:
  // In all answers: `state` is the one whose changes are told to this listener; sessions that the asker does
  // not see are counted, not named.
  Explanation why(const projections::State& state, Timestamp now, const SessionId& session,
                  const SeesSession& sees);
  DryRunAnswer dry_run(const projections::State& state, Timestamp now, const v1::Request& request,
                       const InHistory& in_history, const SeesSession& sees);
  std::optional<StartEstimate> estimate_start(const projections::State& state, Timestamp now,
                                              const SessionId& session);
  // How often estimates came true, by StartEstimates::kPercents.
  const std::array<placement::Calibration, 2>& calibration() const { return estimates_.calibration(); }

  // Sessions that ended before the state begins, newest first, as history gives them. Call it before the
  // state changes.
  void seed(const std::vector<projections::HistoryEntry>& newest_first, const projections::State& state);
  // The state was replaced by another, and its changes are told from the beginning.
  void forget();

  void on_row(const projections::SessionRow* before, const projections::SessionRow* after);
  template <class Row>
  requires requires(ClusterFeed& feed, const Row* row) { feed.on_row(row, row); }
  void on_row(const Row* before, const Row* after) {
    if (built_) feed_.on_row(before, after);
  }

 private:
  void catch_up(const projections::State& state, Timestamp now);

  ClusterFeed feed_;
  StartEstimates
      estimates_;  // follows the state from the beginning: ends before the first question count too
  bool built_ = false;
};

}  // namespace berth::controller
