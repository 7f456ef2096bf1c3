// Passes over a scenario: cancels and admits sessions, runs the scheduler, and keeps its decisions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "controller/placement/pass/explain.h"
#include "controller/placement/pass/pass.h"
#include "controller/scenario/scenario.h"

namespace berth::placement {

// A scope whose limits refuse a session.
struct LimitFailure {
  std::string scope, id;
  struct Line {
    std::string slot;  // or "sessions", "system_sessions"
    Amount used = 0, asked = 0, limit = 0;
    bool is_count = false;  // of sessions, not an amount
  };
  std::vector<Line> lines;
};

struct PlacedLine {
  const ScenarioSession* session;
  std::vector<KernelPlacement> kernels;
};
struct RefusedLine {
  const ScenarioSession* session;
  Reason reason;
  std::string slot;  // by name
  Why why;           // resources and filters
  std::string head;  // of behind-head: the session that blocks
  std::vector<LimitFailure> limits;
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
  void unreserved(const SessionId& session) override { by_key(session).state = "PENDING"; }
  Reason admit(const SessionId& session) override;

 private:
  void load_agents();
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
  std::vector<std::string> unmet_dependencies(const ScenarioSession& session) const;
  std::vector<LimitFailure> limit_failures(const ScenarioSession& session) const;
  ScenarioSession& by_key(const SessionId& key);
  ScenarioSession& by_id(const std::string& id) { return scenario_.sessions[index_.at(id)]; }

  Scenario& scenario_;
  Cluster& cluster_;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, const ScenarioGroup*> groups_;
  std::map<std::string, std::vector<SlotAmount>>
      elsewhere_;  // by session: slots of live kernels without a place in the file
  std::vector<PassLines> passes_;
};

// Whether the session takes slots and counts against limits.
bool is_live(const ScenarioSession& session);
bool has_failed(const ScenarioSession& session);
SlotTexts requested(const ScenarioSession& session);

}  // namespace berth::placement
