// WhyCell: a cell's state, folded from events, for the benchmark `why`. The leader's scheduler and the API's
// Answers follow it row change by row change, as they do in a running cell.
#pragma once

#include "controller/answers/answers.h"
#include "controller/feed/cluster_feed.h"
#include "projections/fold/projection.h"

namespace berth::bench {

class WhyCell final : private projections::StateListener {
 public:
  WhyCell();
  ~WhyCell() override { projection_.set_listener(nullptr); }
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

 private:
  template <class Row>
  void tell(void (projections::StateListener::*hear)(const Row*, const Row*), const Row* before,
            const Row* after) {
    (leader_.*hear)(before, after);
    (answers_.*hear)(before, after);
  }
  void on_session(const projections::SessionRow* before, const projections::SessionRow* after) override {
    tell(&StateListener::on_session, before, after);
  }
  void on_kernel(const projections::KernelRow* before, const projections::KernelRow* after) override {
    tell(&StateListener::on_kernel, before, after);
  }
  void on_agent(const projections::AgentRow* before, const projections::AgentRow* after) override {
    tell(&StateListener::on_agent, before, after);
  }
  void on_group(const projections::GroupRow* before, const projections::GroupRow* after) override {
    tell(&StateListener::on_group, before, after);
  }
  void on_slot_type(const projections::SlotTypeRow* before, const projections::SlotTypeRow* after) override {
    tell(&StateListener::on_slot_type, before, after);
  }
  void on_limit(const projections::LimitRow* before, const projections::LimitRow* after) override {
    tell(&StateListener::on_limit, before, after);
  }
  void on_day_usage(const projections::DayUsageRow* before, const projections::DayUsageRow* after) override {
    tell(&StateListener::on_day_usage, before, after);
  }
  void on_mix(const projections::MixRow* before, const projections::MixRow* after) override {
    tell(&StateListener::on_mix, before, after);
  }
  void on_learned(const projections::LearnedRow* before, const projections::LearnedRow* after) override {
    tell(&StateListener::on_learned, before, after);
  }

  projections::Projection projection_;
  controller::ClusterFeed leader_;
  controller::Answers answers_;
  v1::RecordHeader header_;
  std::size_t events_ = 0;  // in the open record
  Timestamp now_ = 1'700'000'000 * kSecond;
};

}  // namespace berth::bench
