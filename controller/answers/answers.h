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

class Answers final : public projections::StateListener {
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

  void on_session(const projections::SessionRow* before, const projections::SessionRow* after) override;
  void on_kernel(const projections::KernelRow* before, const projections::KernelRow* after) override;
  void on_agent(const projections::AgentRow* before, const projections::AgentRow* after) override;
  void on_group(const projections::GroupRow* before, const projections::GroupRow* after) override;
  void on_slot_type(const projections::SlotTypeRow* before, const projections::SlotTypeRow* after) override;
  void on_limit(const projections::LimitRow* before, const projections::LimitRow* after) override;
  void on_day_usage(const projections::DayUsageRow* before, const projections::DayUsageRow* after) override;
  void on_mix(const projections::MixRow* before, const projections::MixRow* after) override;
  void on_learned(const projections::LearnedRow* before, const projections::LearnedRow* after) override;

 private:
  void catch_up(const projections::State& state, Timestamp now);

  ClusterFeed feed_;
  StartEstimates
      estimates_;  // follows the state from the beginning: ends before the first question count too
  bool built_ = false;
};

}  // namespace berth::controller
