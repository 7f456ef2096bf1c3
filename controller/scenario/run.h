// Passes over a scenario: the file becomes rows of a State, a ClusterFeed follows the rows as it follows
// those of a leader, and each pass is made as a leader makes it. The rows that follow from a pass come from
// here instead of events, so no decider is asked.
//
// The Cluster is told directly what no row can hold (outside.cc): what nobody's sessions use on an agent, a
// limit of 0 containers, kernels without a place, a declared end of a session that is not RUNNING, amounts
// above kHeldAmountMax, and requests that can never be placed. Two more differ from the cell on purpose.
// Order fair-share has the rows that the file names and no others, so an owner that the file does not name
// comes last (FS2). A project is one by its name alone, whatever the domain, in limits and in fair share.
//
// The rows hold the rest, so a file reads as in the cell: a session group is one of its owner, preemption of
// scope project stays in the domain, a session that is TERMINATING or RESCHEDULING counts as gone in
// preemption plans, and a RESERVED session has reached its start time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "controller/feed/cluster_feed.h"
#include "controller/feed/pass_decisions.h"
#include "controller/placement/pass/explain.h"
#include "controller/placement/pass/pass.h"
#include "controller/scenario/scenario.h"
#include "projections/limits.h"
#include "projections/tables/state.h"

namespace berth::placement {

struct PlacedLine {
  const ScenarioSession* session;
  std::vector<KernelPlacement> kernels;
};
struct RefusedLine {
  const ScenarioSession* session;
  Reason reason;
  std::string slot;                              // by name
  Why why;                                       // resources and filters
  std::string head;                              // of behind-head: the session that blocks
  std::vector<projections::LimitExcess> limits;  // in the order of the file
  std::string limits_text;
  std::vector<std::string> unmet;  // of dependency: the sessions waited for
};
struct PreemptedLine {
  std::string session, preemptor;
  PreemptMode mode;
};
struct CancelledLine {
  std::string session;
  berth::Code code;
};
struct PassLines {
  std::vector<std::string> order;
  std::vector<PlacedLine> placed;
  std::vector<RefusedLine> refused;
  std::vector<PreemptedLine> preempted;
  std::vector<CancelledLine> cancelled;
};

class ScenarioRun : public PassVisitor {
 public:
  explicit ScenarioRun(Scenario& scenario, CustomPolicies* policies = nullptr);
  void run(int passes);

  const std::vector<PassLines>& passes() const { return passes_; }
  const Scenario& scenario() const { return scenario_; }
  const Cluster& cluster() const { return feed_.cluster(); }

  Reason admit(const SessionId& session) override { return decisions_.admit(session); }
  void placed(const SessionId& session, std::span<const KernelPlacement> kernels) override;
  void refused(const SessionId& session, Reason reason) override;
  void retried(const SessionId&, std::uint32_t) override {}
  void preempted(const SessionId& victim, const SessionId& preemptor, PreemptMode mode) override;
  void reserved(const SessionId& session, std::span<const KernelPlacement> kernels) override;
  void unreserved(const SessionId& session) override { decisions_.unreserved(session); }

 private:
  // ---- load.cc: the file as rows ----
  void load_definitions();
  void load_sessions();
  void load_session(std::size_t index);
  void load_kernels(const ScenarioSession& session, projections::SessionRow* row);
  void find_fault(ScenarioSession& session);

  // ---- outside.cc: what no row can hold ----
  void tell_fair_share();
  void occupy_as_asked(const ScenarioSession& session);
  void count_unplaced(const projections::SessionRow& row, int sign);

  void make_pass(const std::string& group);
  void cancel_what_is_over();
  void happen(std::int64_t after_pass);
  berth::Code cancel_code(const ScenarioSession& session) const;
  bool has_succeeded(const SessionId& session) const;
  std::vector<projections::LimitExcess> excess(const SessionId& session) const;

  // ---- follow.cc: the rows that follow ----
  void follow(const controller::PassDecision& decision);
  void place_session(const controller::PassDecision& decision);
  void reserve_session(const controller::PassDecision& decision);
  void unreserve_session(const SessionId& session);
  void preempt_session(const SessionId& session, PreemptMode mode);
  void requeue_session(const SessionId& session);
  void end_session(const SessionId& session, projections::SessionStatus status,
                   projections::SessionResult result);
  void end_kernels(projections::SessionRow* row);
  void note_unmet(const SessionId& session);

  const projections::SessionRow& row_of(const SessionId& key) const { return *state_.sessions.find(key); }
  const ScenarioSession& by_key(const SessionId& key) const;

  Scenario& scenario_;
  projections::State state_;
  controller::ClusterFeed feed_;
  controller::PassDecisions decisions_{feed_.limits()};
  std::map<std::string, std::size_t> index_;
  std::map<std::string, const ScenarioGroup*> groups_;
  std::vector<PassLines> passes_;
  // By session, as last seen. A pass that gives a held place up may remove the excess, and the session is
  // asked again in the next pass only.
  std::map<SessionId, std::vector<projections::LimitExcess>> excess_;
};

}  // namespace berth::placement
