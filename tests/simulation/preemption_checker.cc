// What the auditor asks of preemption: whole plans, no victim twice, nobody for an equal, and holds that
// nobody else takes.
#include <algorithm>

#include "tests/simulation/checkers.h"

namespace berth::simulation {

void JournalAuditor::preempted(const std::string& victim, const std::string& preemptor) {
  ++preempted_;
  const Session& low = sessions_[victim];
  const Session& high = sessions_[preemptor];
  if (low.leaving()) fail("a session was preempted that leaves already: two plans for one victim");
  if (low.kernels.empty()) fail("a session was preempted that has no place");
  if (low.spec.not_preemptible() || low.spec.type() == v1::SYSTEM)
    fail("a session was preempted that is not preemptible");
  if (low.spec.job_priority() >= high.spec.job_priority())
    fail("a session was preempted by one of an equal or lower job priority");
  plan_[preemptor].insert(victim);
}

void JournalAuditor::reserved(const v1::SessionReserved& e) {
  Session& session = sessions_[e.session_id()];
  if (session.ends > 0 || !session.kernels.empty() || !session.held.empty())
    fail("a place is held for a session that does not wait");
  if (!plan_.contains(e.session_id())) fail("a place is held for whom nobody makes room");
  session.held.assign(e.placements().begin(), e.placements().end());
  session.held_at = offset_;
  std::map<std::string, std::int64_t> own;  // by "agent what"
  for (const auto& p : session.held)
    for (const auto& [what, amount] : takes_of(session.spec, p)) {
      auto& held = own[p.agent() + " " + what];
      held += amount;
      if (held > capacity_[p.agent()][what])
        fail("more of " + what + " is held than " + p.agent() + " has");  // G12
    }
}

// The kernels' ids follow of the election too, which may be another one.
void JournalAuditor::check_held(const Session& session, const v1::SessionScheduled& e) {
  const auto same = [](v1::Placement a, v1::Placement b) {
    a.clear_kernel_id();
    b.clear_kernel_id();
    return a.SerializeAsString() == b.SerializeAsString();
  };
  if (!std::equal(session.held.begin(), session.held.end(), e.placements().begin(), e.placements().end(),
                  same))
    fail("a session was placed elsewhere than where its place was held");
}

// After somebody without a place was placed there: what all holds want is still to be had once those who
// leave have left.
void JournalAuditor::check_holds_kept(const std::string& agent, const std::string& what) {
  std::int64_t held = 0;
  for (const auto& [id, session] : sessions_)
    for (const auto& p : session.held)
      if (p.agent() == agent)
        if (const auto takes = takes_of(session.spec, p); takes.contains(what)) held += takes.at(what);
  if (held > 0 && taken_[agent][what] + held > capacity_[agent][what])
    fail("somebody else took held " + what + " of " + agent);
}

// P4: who goes and the place that is held are in one record. And who goes back does so in the record of its
// last end.
void JournalAuditor::check_plans() {
  for (const auto& [preemptor, victims] : plan_)
    if (sessions_[preemptor].held.empty()) fail("sessions were preempted for one that has no place held");
  plan_.clear();
  for (auto& [id, session] : sessions_) {
    if (!session.kernels.empty() || session.terminating || session.ends > 0) continue;
    if (session.going_back) fail("a preempted session did not go back to the queue");
    if (session.moves) fail("a requeueable session ended because its agent or its lease was gone");
    session.going_back = session.moves = false;  // said once
  }
}

}  // namespace berth::simulation
