// Explainer: the scheduler's own model of the durable state, asked what a pass would do: where a session
// stands in the queue and what would let it start, each answer proved by a run of the scheduler that is
// undone.
//
// The model is built at the first question and kept equal from then on, row change by row change: who never
// asks pays nothing. on_row() and forget() are called under the exclusive lock of the state, explain() under
// the shared one.
#pragma once

#include <functional>
#include <mutex>

#include "controller/answers/dry_run.h"
#include "controller/answers/start_estimates.h"
#include "controller/api/api_context.h"
#include "projections/store/store.h"

namespace berth::controller {

class Explainer {
 public:
  // Unknown sessions and those that do not wait give an empty explanation. `sees`: whether the viewer may
  // know that session; others are counted, not named.
  Explanation explain(const projections::State& state, Timestamp now, const SessionId& session,
                      const SeesSession& sees);
  // What would become of a request for sessions; nothing is decided. `in_history` as for the real decision.
  DryRunAnswer dry_run(const projections::State& state, Timestamp now, const v1::Request& request,
                       const InHistory& in_history, const SeesSession& sees);
  // When a waiting session is expected to start; nothing of others. It is remembered, to be compared with
  // what comes.
  std::optional<StartEstimate> estimate(const projections::State& state, Timestamp now,
                                        const SessionId& session);
  // By StartEstimates::kPercents.
  std::array<placement::Calibration, 2> calibration();
  // Sessions that ended before the state begins, newest first, as history gives them. Before the node follows
  // the journal.
  void seed(const std::vector<projections::HistoryEntry>& newest_first, const projections::State& state);
  // The state was replaced by another, and what follows is told again.
  void forget() {
    built_ = false;
    estimates_.clear();
  }

  void on_row(const projections::SessionRow* before, const projections::SessionRow* after);
  template <class Row>
  requires requires(ClusterFeed& feed, const Row* row) { feed.on_row(row, row); }
  void on_row(const Row* before, const Row* after) {
    if (built_) feed_.on_row(before, after);
  }

 private:
  void catch_up(const projections::State& state, Timestamp now);
  // What a session is called to this viewer; empty: not theirs to see.
  using NameOf = std::function<std::string(const SessionId&)>;
  void add_queue(const projections::State& state, Timestamp now, const projections::SessionRow& session,
                 const SeesSession& sees, const NameOf& name, Explanation& out);
  StartEstimate estimate_of(const projections::State& state, const projections::SessionRow& session,
                            Timestamp now, ExpectedStart* start = nullptr);
  void add_unblock(const projections::State& state, Timestamp now, const SessionId& session,
                   const SeesSession& sees, const NameOf& name, Explanation& out);

  std::mutex mutex_;  // of questions, which change the model and undo it
  ClusterFeed feed_;
  StartEstimates estimates_;  // followed from the beginning: ends that nobody asks about count too
  bool built_ = false;
};

}  // namespace berth::controller
