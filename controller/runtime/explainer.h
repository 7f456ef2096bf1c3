// Explainer: Answers for several threads. Answers are worked out one after the other.
//
// Questions are asked under the shared lock of the state. listener() is told of changes, and forget() is
// called, under the exclusive lock, so no question is under way then.
#pragma once

#include <mutex>

#include "controller/answers/answers.h"

namespace berth::controller {

class Explainer {
 public:
  Answers& listener() { return answers_; }

  Explanation why(const projections::State& state, Timestamp now, const SessionId& session,
                  const SeesSession& sees) {
    const std::lock_guard lock(mutex_);
    return answers_.why(state, now, session, sees);
  }
  DryRunAnswer dry_run(const projections::State& state, Timestamp now, const v1::Request& request,
                       const InHistory& in_history, const SeesSession& sees) {
    const std::lock_guard lock(mutex_);
    return answers_.dry_run(state, now, request, in_history, sees);
  }
  std::optional<StartEstimate> estimate_start(const projections::State& state, Timestamp now,
                                              const SessionId& session) {
    const std::lock_guard lock(mutex_);
    return answers_.estimate_start(state, now, session);
  }
  std::array<placement::Calibration, 2> calibration() {
    const std::lock_guard lock(mutex_);
    return answers_.calibration();
  }

  // Call it before the first question.
  void seed(const std::vector<projections::HistoryEntry>& newest_first, const projections::State& state) {
    answers_.seed(newest_first, state);
  }
  void forget() { answers_.forget(); }

 private:
  std::mutex mutex_;  // of questions, which change the model and undo that
  Answers answers_;
};

}  // namespace berth::controller
