// Preemption: which live sessions (victims) make room for a session that was refused (BEHAVIOURS.md section
// 4).
//
// Candidates occupy slots in the group, are preemptible, in scope, of a strictly lower job priority, have run
// long enough, and were not placed in this pass. They are ordered: lower job priority first, then the oldest
// (or newest) start. The plan comes from the scheduler's own search on a model without the candidates. If the
// session does not fit without all of them, there is no plan. Then each candidate stays if the session still
// fits, the last in order first: what remains is a set of which no session can stay, of the lowest job
// priorities that do. `fewest-sessions` looks for the smallest set, none of a higher job priority than must
// go, and takes the first such set in that order. A session that is leaving already counts as gone, so that
// no session is preempted for slots that come free anyway. A set of more than kVictimsMax is no plan.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "controller/placement/model/model.h"
#include "controller/placement/pass/try_session.h"

namespace berth::placement {

struct PreemptPlan {
  std::vector<LiveIndex> victims;  // in that order; empty: no plan
  Places places;                   // of the preemptor
};

// The least job priority of a possible victim in the group; nullopt: there is none. Visits all live sessions.
std::optional<std::int32_t> least_victim_priority(const Model& model, const Group& group);
// True if a pending session has a job priority above that; otherwise no session needs a plan.
bool somebody_may_preempt(const Model& model, const Group& group);

// The plans of one pass. Free slots only shrink in a pass, so a class without a plan has none for its next
// session of the same job priority and scope either.
class Preemptions {
 public:
  Preemptions(Model& model, Group& group);

  // As somebody_may_preempt(), by the live sessions at the beginning of the pass.
  bool possible() const;
  // REQUIRES: the session was refused for want of resources. `placed`: sessions that this pass placed.
  // Changes nothing.
  PreemptPlan plan(PendingIndex session, std::span<const SessionId> placed);

 private:
  using Asked = std::tuple<ClassIndex, std::int32_t, std::uint32_t,
                           std::uint32_t>;  // class, job priority, scope's names

  Asked asked(PendingIndex session) const;

  Model& model_;
  Group& group_;
  const std::optional<std::int32_t> least_;  // job priority of possible victims
  std::set<Asked> refused_;
};

// Marks the victims as leaving and holds the places for the preemptor.
void carry_out(Model& model, PendingIndex preemptor, const PreemptPlan& plan);

}  // namespace berth::placement
