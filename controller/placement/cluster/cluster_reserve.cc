// Cluster: facts of live sessions beside their slots, and held places.
#include <algorithm>

#include "controller/placement/cluster/cluster.h"
#include "controller/placement/cluster/held_place.h"
#include "controller/placement/cluster/ledger.h"
#include "controller/placement/model/members.h"

namespace berth::placement {

void Cluster::set_live(const SessionId& id, const LiveFacts& facts) {
  const LiveIndex index = model_->find_live(id);
  if (index == kNothing) return;
  Live& live = model_->live[index];
  const bool new_victim = live.preemptible != facts.preemptible || live.leaving != facts.leaving ||
                          live.started != facts.started || live.job_priority != facts.job_priority;
  const std::uint32_t session_group = model_->intern_name(facts.session_group);
  if (live.session_group != session_group) {  // else the members stay the same
    count_members(*model_, live, -1);
    live.session_group = session_group;
    count_members(*model_, live, 1);
  }
  live.domain = model_->intern_name(facts.domain);
  live.project = model_->intern_name(facts.project);
  live.job_priority = facts.job_priority;
  live.preemptible = facts.preemptible;
  live.leaving = facts.leaving;
  live.started = facts.started;
  if (!new_victim) return;
  for (const Live::Kernel& kernel : live.kernels.view())
    if (kernel.group != kNothing && model_->groups[kernel.group].policy.preemption.enabled)
      model_->groups[kernel.group].touch();
}

void Cluster::interval_passed() {
  for (Group& group : model_->groups) {
    const GroupPolicy& policy = group.policy;
    const bool new_victims = policy.preemption.enabled && policy.preemption.min_runtime > 0;
    const bool counts = policy.order != Order::kBackfill && policy.head_of_line == HeadOfLine::kSkipAfterN &&
                        policy.skip_after > 0;
    if (new_victims || (counts && !group.head.is_nil())) group.touch();
  }
}

void Cluster::reserve(const SessionId& id, std::span<const PlacedKernel> kernels) {
  const PendingIndex index = model_->find_pending_index(id);
  if (index == kNothing || model_->pending[index].reserved) return;
  std::vector<Live::Kernel> all;
  for (const PlacedKernel& placed : kernels) all.push_back(kernel_of(*model_, placed));
  std::sort(all.begin(), all.end(),
            [](const Live::Kernel& a, const Live::Kernel& b) { return a.kernel < b.kernel; });
  const GroupIndex group = model_->classes[model_->pending[index].session_class].key.group;
  add_held_place(*model_, index, std::move(all));
  model_->groups[group].touch();
}

bool Cluster::is_reserved(const SessionId& id) const { return model_->held_places.contains(id); }

}  // namespace berth::placement
