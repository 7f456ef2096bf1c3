#include "controller/scheduler/copy.h"

#include "controller/scheduler/backfill.h"
#include "controller/scheduler/least_rise.h"
#include "controller/scheduler/ranked_lanes.h"
#include "controller/scheduler/search_index.h"

namespace berth::scheduler {

namespace {

template <class T>
void copy_owned(const std::unique_ptr<T>& from, std::unique_ptr<T>* to) {
  if (from == nullptr)
    to->reset();
  else if (*to == nullptr)
    *to = std::make_unique<T>(*from);
  else
    **to = *from;
}

// Its index is made anew by whoever calls, once the agents are there.
void copy_group(const Group& from, Group* to) {
  static_cast<GroupValues&>(*to) = from;
  copy_owned(from.head_place, &to->head_place);
  copy_owned(from.ranks, &to->ranks);
  copy_owned(from.rise, &to->rise);
  to->custom = nullptr;
}

void copy_stranger(const Group& from, Group* to) {
  to->name = from.name;
  to->policy.order = from.policy.order;
  to->held_by_user = from.held_by_user;
  to->ends = from.ends;
}

}  // namespace

void copy_for_pass(const Model& from, GroupIndex group, Model* to) {
  static_cast<ModelValues&>(*to) = from;
  to->policies = nullptr;
  to->groups.resize(from.groups.size());
  for (GroupIndex i = 0; i < from.groups.size(); ++i) {
    if (i == group)
      copy_group(from.groups[i], &to->groups[i]);
    else
      copy_stranger(from.groups[i], &to->groups[i]);
  }
  Group& made = to->groups[group];
  if (made.index == nullptr) made.index = std::make_unique<SearchIndex>();
  made.index->rebuild(*to, made);
}

std::uint64_t copy_work(const Model& model) {
  return model.agents.size() + model.live.size() + model.pending.size() + model.classes.size();
}

std::uint64_t pass_work(const Model& model, const Group& group) {
  constexpr std::uint64_t kTried = 8;  // a session that the pass tries, in looks at an agent
  std::uint64_t work = 1;
  for (const auto& [lane_key, lane] : group.lanes) {
    for (const Head& head : lane.heads) {
      const bool unknown = model.refusals[model.classes[head.session_class].refusal].explained_at == Refusal::kNever;
      work += kTried + (unknown ? group.agents.size() : 0);
    }
  }
  if (group.waiting_for_members > 0) work += group.pending;
  if (group.policy.preemption.enabled) work += group.pending * (1 + model.live.size() / 32);
  return work;
}

}  // namespace berth::scheduler
