// Preemption: which sessions have to go so that one that was refused fits (BEHAVIOURS.md section 4).
//
// Candidates hold slots in the group, are preemptible, in scope, of a strictly lower job priority, have run
// long enough, and were not placed in this pass. They stand in an order: the lower job priority first, then
// the oldest (or newest) start. The plan is found by running the scheduler's own search as if they had ended:
// without any of them, the last in order first, as long as it still fits; so it is a smallest set, of the
// lowest job priority that does. `fewest-sessions`: as few sessions as do, none of a higher job priority than
// has to go, the first such set in that order. If it does not fit without all of them, nobody goes. Who was
// preempted before and has not ended yet counts as gone already (its slots are held for whom it was
// preempted), so nobody dies for what is coming free anyway.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "controller/placement/model/model.h"
#include "controller/placement/pass/attempt.h"

namespace berth::placement {

struct PreemptPlan {
  std::vector<LiveIndex> victims;  // in the order above; empty: no plan
  Places places;                   // of the preemptor
};

// The least job priority of those in the group who could go; nullopt: nobody could. Goes over all who live.
std::optional<std::int32_t> least_victim_priority(const Model& model, const Group& group);
// Whether any session that waits has a job priority above that; else nobody needs a plan.
bool somebody_may_preempt(const Model& model, const Group& group);

// The plans of one pass. Room only shrinks in a pass, so a class that got no plan gets none for the next
// session of the same job priority and scope either.
class Preemptions {
 public:
  Preemptions(Model& model, Group& group);

  // As somebody_may_preempt(), by who lived when the pass began.
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
  const std::optional<std::int32_t> least_;  // job priority of those who could go
  std::set<Asked> refused_;
};

// The victims are leaving, the preemptor has its place held.
void carry_out(Model& model, PendingIndex preemptor, const PreemptPlan& plan);

}  // namespace berth::placement
