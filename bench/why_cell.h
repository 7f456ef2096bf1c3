// WhyCell: a cell's state, folded from events, for the benchmark `why`. The leader's scheduler and the API's
// Answers follow it row change by row change, as they do in a running cell.
#pragma once

#include "controller/answers/answers.h"
#include "controller/feed/cluster_feed.h"
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
  // As the API asks: for somebody who may see every session.
  controller::Explanation why(const SessionId& session) {
    return answers_.why(state(), now_, session, [](const auto&) { return true; });
  }
  // One row changed (State::set_listener): the leader hears it, then the API.
  template <class Row>
  requires requires(controller::ClusterFeed& feed, const Row* row) { feed.on_row(row, row); }
  void on_row(const Row* before, const Row* after) {
    leader_.on_row(before, after);
    answers_.on_row(before, after);
  }

 private:
  projections::Projection projection_;
  controller::ClusterFeed leader_;
  controller::Answers answers_;
  v1::RecordHeader header_;
  std::size_t events_ = 0;  // in the open record
  Timestamp now_ = 1'700'000'000 * kSecond;
};

}  // namespace berth::bench
