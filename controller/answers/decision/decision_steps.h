// DecisionSteps: what a watched pass looked at, by names.
#pragma once

#include <cstdint>

#include "controller/answers/decision/past_decision.h"
#include "controller/answers/decision/watched_pass.h"

namespace berth::controller {

// A session of the queue before the pass.
struct Queueing {
  SessionId session;
  std::int32_t priority = 0;
};
std::vector<Queueing> queue_of(const placement::Cluster& cluster, const std::string& group);

struct DecisionSteps {
  const projections::State& state;
  const placement::Cluster& cluster;  // after the pass
  const WatchedPass& pass;
  const SeesSession& sees;

  // The first `most`, and `own` wherever it stands.
  std::vector<QueueStep> queue(const std::vector<Queueing>& before, const SessionId& own,
                               std::size_t most) const;
  SearchStep search(const projections::SessionRow& session, const placement::Searched& searched) const;

 private:
  void set_outcome(const SessionId& session, QueueStep& step) const;
  FilterStep filter(const placement::Candidates::Filter& filter) const;
  ScoredAgent scored(const placement::Candidate& candidate) const;
};

}  // namespace berth::controller
