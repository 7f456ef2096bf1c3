// Rounds: what the leader decides without an input, and when: deadlines, lost agents, what follows from both,
// the trash, learning, scheduling passes, chain heads. Owned by a Leader.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/cell/leader/clock_guard.h"
#include "controller/cell/leader/decider.h"
#include "controller/cell/leader/lease_book.h"
#include "controller/cell/leader/order_outbox.h"
#include "controller/cell/ports.h"
#include "controller/feed/leader_todo.h"
#include "controller/feed/pass_decisions.h"
#include "controller/placement/audit/model_audit.h"

namespace berth::controller {

class Rounds {
 public:
  Rounds(const ControllerConfig& config, const projections::Projection& projection,
         ControllerCounters& counters, ClusterFeed& feed, LeaderTodo& todo, ClockGuard& clock,
         LeaseBook& leases, Decider& decider, const OrderOutbox& outbox)
      : config_(config),
        state_(projection.state()),
        chain_(projection.chain()),
        counters_(counters),
        feed_(feed),
        todo_(todo),
        clock_(clock),
        leases_(leases),
        decider_(decider),
        outbox_(outbox) {}

  // At the start of the reign: an interval pass is due, the next one after the interval.
  void begin(const Instant& now) { interval_pass_at_ = now.boottime; }
  // Before inputs are decided about: has the clock jumped, or does it agree again (P16)?
  void decide_clock(const Instant& now);
  // After them. A bounded number of decisions.
  void run(const Instant& now, Outputs& out);

  void tick(const Instant& now);
  void chain_point_read(projections::ChainPoint point) { chain_point_ = std::move(point); }
  void selection_found(SelectionFound found);

 private:
  void fire_timers(const Instant& now, Outputs& out);
  void lose_agents(const Instant& now, Outputs& out);
  void follow_up_lost_agents(const Instant& now, Outputs& out);
  void follow_up_dependencies(const Instant& now, Outputs& out);
  void purge_trash(const Instant& now, Outputs& out);
  void prune_history(const Instant& now, Outputs& out);
  void learn(const Instant& now, Outputs& out);
  void record_unreachable(const Instant& now, Outputs& out);
  void make_passes(const Instant& now, Outputs& out);
  void record_decisions(PassDecisions& decisions, const Instant& now, Outputs& out);
  void take_back(const PassDecision& decision);
  void record_chain_head(const Instant& now, Outputs& out);
  void make_head_key(const Instant& now);
  void sign_head(v1::ChainHeadRecorded& head);

  const ControllerConfig& config_;
  const projections::State& state_;
  const projections::Chain& chain_;  // of what was read back
  ControllerCounters& counters_;
  ClusterFeed& feed_;
  LeaderTodo& todo_;
  ClockGuard& clock_;
  LeaseBook& leases_;
  Decider& decider_;
  const OrderOutbox& outbox_;

  ClockGuard::Verdict clock_verdict_ = ClockGuard::Verdict::kFine;
  Timestamp interval_pass_at_ = 0;  // boottime of the last interval pass
  bool interval_pass_ = true;       // one is due
  Timestamp trash_walk_at_ = 0;     // boottime from which the trash is looked at again
  placement::ModelAuditor auditor_;
  std::optional<projections::ChainPoint> chain_point_;
  std::set<std::string> learning_;     // groups whose learning is asked for
  std::vector<SelectionFound> found_;  // and answered
};

// What a pass decided about a session, as events. The events name agents and devices; the decision holds
// model indexes.
EventList events_of(const DecisionContext& c, const placement::Cluster& cluster,
                    const PassDecision& decision);

}  // namespace berth::controller
