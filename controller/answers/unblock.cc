#include "controller/answers/unblock.h"

#include "controller/answers/unblock_sets.h"
#include "controller/answers/what_if.h"

namespace berth::placement {

namespace {

std::vector<LimitRaise> least_raises(const std::vector<LimitGap>& limits) {
  std::vector<LimitRaise> raises;
  for (const LimitGap& gap : limits) {
    const Amount raise = gap.used + gap.asked - gap.limit;
    if (raise > 0) raises.push_back({gap.name, gap.slot, raise});
  }
  return raises;
}

}  // namespace

// The parts share the work: a session that waits for room is helped most by who holds it, so that comes last
// and takes the rest.
Unblock unblock(Cluster& cluster, const SessionId& session, const UnblockOptions& options) {
  Unblock result;
  Model& model = cluster.model();
  const PendingIndex index = model.find_pending_index(session);
  if (index == kNothing) return result;
  result.waits = true;
  const bool has_cause = model.pending[index].wait_cause.code != Code::kNone;
  result.has_cause = has_cause;
  Work work{options.work};
  WhatIf what_if(model, index, &work, options.may_start, options.now);
  if (!what_if.can_walk()) work.left = options.copy_work;
  result.concentrated =
      model.groups[model.classes[model.pending[index].session_class].key.group].policy.select ==
      Select::kCustom;
  result.fits_alone = what_if.alone();
  const WhatIf::Run run = what_if.run();
  result.proved = run.made;
  if (!run.made) return result;
  const bool starts = run.started;
  result.starts_now = starts && !has_cause;
  if (!has_cause) result.victims = run.victims;
  if (run.blocker != kNothing) result.head = model.pending[run.blocker].id;
  result.raises = least_raises(options.limits);
  result.starts_when_raised = starts && has_cause && !result.raises.empty();
  if (has_cause || starts) {  // only its wait cause is in the way, or nothing: nobody's end changes that
    result.ends.complete = result.leaves.complete = result.less_complete = true;
    return result;
  }
  const SessionClass& own = model.classes[model.pending[index].session_class];
  const Group& group = model.groups[own.key.group];
  std::vector<Near> near;
  if (own.kernels == 1) near = nearest(model, group, own.key, own.need, kAgentsLooked);
  const std::uint64_t all = work.left;
  work.left = all / 4;
  result.leaves = find_leaves(model, index, options, what_if, &work);
  work.left = all / 4;
  result.less = find_less(model, index, near, what_if, &work, &result.less_complete);
  work.left = all / 2;
  result.ends = find_ends(model, index, options, near, what_if, &work);
  return result;
}

}  // namespace berth::placement
