// WhyCell: a cell's state, folded from events, for the benchmark `why`. The leader's scheduler and the API's
// Explainer follow it row change by row change, as they do in a running cell.
#pragma once

#include <shared_mutex>

#include "controller/feed/cluster_feed.h"
#include "controller/runtime/explainer.h"
#include "projections/fold/projection.h"

namespace berth::bench {

class WhyCell {
 public:
  WhyCell();
  ~WhyCell() { projection_.set_listener(nullptr); }
  WhyCell(const WhyCell&) = delete;

  // Takes an event into the record that is open. An event that the fold forbids ends the benchmark.
  void add(const v1::Event& event);
  // Ends the open record.
  void close();

  const projections::State& state() const { return projection_.state(); }
  placement::Cluster& leader() { return leader_.cluster(); }
  Timestamp now() const { return now_; }
  // As the API asks: for somebody who may see every session. From any thread, if the others hold the state's
  // lock for changes.
  controller::Explanation why(const SessionId& session, Timestamp now) {
    return explainer_.why(now, session, [](const auto&) { return true; });
  }
  std::shared_mutex& state_lock() { return state_lock_; }
  // One row changed (State::set_listener): the leader hears it, then the API.
  template <class Row> void on_row(const Row* before, const Row* after) {
    if constexpr (requires { leader_.on_row(before, after); }) leader_.on_row(before, after);
    explainer_.on_row(before, after);
  }

 private:
  projections::Projection projection_;
  controller::ClusterFeed leader_;
  std::shared_mutex state_lock_;
  controller::Explainer explainer_{[this](const controller::Explainer::Read& look) {
    const std::shared_lock lock(state_lock_);
    look(state());
  }};
  v1::RecordHeader header_;
  std::size_t events_ = 0;  // in the open record
  Timestamp now_ = 1'700'000'000 * kSecond;
};

}  // namespace berth::bench
