#include "controller/answers/cluster_copy.h"

#include "controller/placement/order/ranked_lanes.h"
#include "controller/placement/pass/backfill.h"
#include "controller/placement/pass/preempt.h"
#include "controller/placement/pass/try_session.h"
#include "controller/placement/select/least_rise.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

template <class T> void copy_owned(const std::unique_ptr<T>& from, std::unique_ptr<T>* to) {
  if (from == nullptr)
    to->reset();
  else if (*to == nullptr)
    *to = std::make_unique<T>(*from);
  else
    **to = *from;
}

// Its index is made anew by whoever calls, once the agents are there.
void copy_group(const Group& from, Group* to) {
  static_cast<GroupValues&>(*to) = static_cast<const GroupValues&>(from);
  copy_owned(from.head_reservation, &to->head_reservation);
  copy_owned(from.ranks, &to->ranks);
  copy_owned(from.rise, &to->rise);
  to->custom = nullptr;
}

void copy_stranger(const Group& from, Group* to) {
  to->name = from.name;
  to->policy.order = from.policy.order;
  to->occupied_by_user = from.occupied_by_user;
  to->ends = from.ends;
}

}  // namespace

void copy_for_pass(const Model& from, GroupIndex group, Model* to) {
  static_cast<ModelValues&>(*to) = static_cast<const ModelValues&>(from);
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

namespace {

constexpr std::uint64_t kTriedWork = 8;   // a session that the pass tries
constexpr std::uint64_t kAheadWork = 48;  // an end that order backfill looks ahead to

// Whether what a refusal is called decides anything: who blocks, who gets a place held.
bool reasons_matter(const Group& group) {
  const GroupPolicy& policy = group.policy;
  return policy.preemption.enabled || policy.order == Order::kBackfill ||
         policy.head_of_line != HeadOfLine::kGreedy || group.waiting_for_members > 0;
}

}  // namespace

std::uint64_t pass_work(const Model& model, const Group& group, bool changed) {
  const bool looks = reasons_matter(group) && group.agents.size() < kAgentsPerLag;
  std::uint64_t work = 1;
  for (const auto& [lane_key, lane] : group.lanes) {
    for (const Head& head : lane.heads) {
      const bool unknown =
          looks && model.refusals[model.classes[head.session_class].refusal].explained_at == Refusal::kNever;
      work += kTriedWork + (unknown ? group.agents.size() : 0);
    }
  }
  if (group.policy.order == Order::kBackfill && (changed || group.head_reservation == nullptr))
    work += group.ends.size() * kAheadWork;
  if (group.waiting_for_members > 0) work += group.pending;
  if (group.policy.preemption.enabled) work += model.live.size() / 8;
  if (somebody_may_preempt(model, group)) work += group.pending * (1 + model.live.size() / 32);
  return work;
}

void trust_reasons(Model& copy, GroupIndex index, PendingIndex but) {
  Group& group = copy.groups[index];
  const bool matter = reasons_matter(group);
  if (matter && group.agents.size() < kAgentsPerLag) return;
  for (const auto& [lane_key, lane] : group.lanes) {
    for (const auto& [class_index, queue] : lane.queues) {
      const RefusalIndex refusal = copy.classes[class_index].refusal;
      if (refusal == copy.classes[copy.pending[but].session_class].refusal) continue;
      Refusal& known = copy.refusals[refusal];
      if (known.explained_at == Refusal::kNever) {
        const Reason recorded = copy.pending[queue.begin()->pending].recorded;
        const bool tells = recorded.code >= Code::kNoAgents && recorded.code <= Code::kNever;
        if (matter && !tells) continue;
        known.reason = tells ? recorded : Reason{Code::kNoCapacity, kNoSlot};
      } else if (matter) {
        continue;
      }
      known.explained_at = group.changes;
    }
  }
}

}  // namespace berth::placement
