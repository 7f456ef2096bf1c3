// Passes over a scenario: cancels and admits sessions, runs the scheduler, and keeps its decisions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

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
  std::string code;
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

  void placed(const SessionId& session, std::span<const KernelPlacement> kernels) override;
  void refused(const SessionId& session, Reason reason) override;
  void retried(const SessionId&, std::uint32_t) override {}
  void preempted(const SessionId& victim, const SessionId& preemptor, PreemptMode mode) override;
  void reserved(const SessionId& session, std::span<const KernelPlacement> kernels) override;
  void unreserved(const SessionId& session) override;
  Reason admit(const SessionId& session) override;

 private:
  void load_rows();
  void load_session_row(std::size_t index);
  void load_sessions();
  void find_fault(ScenarioSession& session);
  PendingSpec pending_spec(const ScenarioSession& session) const;
  void hold_placed(const ScenarioSession& session);
  void occupy_elsewhere(const ScenarioSession& session);
  void tell_facts(const ScenarioSession& session);
  bool makes_room(const ScenarioSession& session) const;
  void cancel_what_is_over();
  void set_holds();
  void happen(std::int64_t after_pass);
  std::string cancel_code(const ScenarioSession& session) const;
  bool has_succeeded(const SessionId& session) const;
  void note_unmet(const ScenarioSession& session);
  std::vector<std::string> unmet_names(const SessionId& session) const;
  std::vector<projections::LimitExcess> excess(const SessionId& session) const;
  void put_status(const SessionId& session, projections::SessionStatus status);
  void place_row(const SessionId& session, std::span<const KernelPlacement> kernels);
  void count_unplaced(const projections::SessionRow& row, int sign);
  void drop_kernels(projections::SessionRow* row);
  void end_row(const SessionId& session, projections::SessionStatus status,
               projections::SessionResult result);
  void requeue_row(const SessionId& session);
  ScenarioSession& by_key(const SessionId& key);
  const ScenarioSession& by_key(const SessionId& key) const;
  ScenarioSession& by_id(const std::string& id) { return scenario_.sessions[index_.at(id)]; }

  Scenario& scenario_;
  Cluster& cluster_;
  projections::State state_;
  projections::UsageBook beside_;  // what counts under limits and is in no row of state_
  std::map<std::string, std::size_t> index_;
  std::map<std::string, const ScenarioGroup*> groups_;
  std::map<std::string, std::vector<SlotAmount>>
      elsewhere_;  // by session: slots of live kernels without a place in the file
  std::vector<PassLines> passes_;
};

// Whether the session takes slots and counts against limits.
bool is_live(const ScenarioSession& session);

}  // namespace berth::placement
