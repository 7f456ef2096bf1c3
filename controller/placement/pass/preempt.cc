#include "controller/placement/pass/preempt.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "controller/placement/cluster/held_place.h"
#include "controller/placement/cluster/ledger.h"

namespace berth::placement {

namespace {

// Sets of victims that `fewest-sessions` tries before it takes the plan of the order alone.
constexpr std::size_t kMostTries = 10'000;

bool in_scope(PreemptScope scope, const Pending& session, const Live& live) {
  switch (scope) {
    case PreemptScope::kUser: return live.user == session.user;
    case PreemptScope::kProject: return live.project == session.project && live.domain == session.domain;
    case PreemptScope::kDomain: return live.domain == session.domain;
    case PreemptScope::kResourceGroup: return true;
  }
  return false;
}

bool ran_long_enough(const PreemptionPolicy& policy, const Live& live, Timestamp now) {
  if (policy.min_runtime <= 0) return true;
  return live.started != LiveFacts::kNotStarted && now - live.started >= policy.min_runtime;
}

class Planner {
 public:
  Planner(Model& model, Group& group, PendingIndex session)
      : model_(model),
        group_(group),
        group_index_(model.index_of(group)),
        session_(model.pending[session]),
        wanted_(model.classes[session_.session_class]) {}

  PreemptPlan run(std::span<const SessionId> placed) {
    const std::uint64_t changes = group_.changes;
    PreemptPlan plan;
    std::vector<LiveIndex> leaving;
    find_candidates(placed, &leaving);
    if (!candidates_.empty()) {
      for (const LiveIndex live : leaving) credit(live);
      if (!fits()) plan = without_candidates();
      for (const LiveIndex live : leaving) take_back(live);
    }
    group_.changes = changes;  // all is as it was: no refusal has to be worked out anew
    return plan;
  }

 private:
  void find_candidates(std::span<const SessionId> placed, std::vector<LiveIndex>* leaving) {
    const PreemptionPolicy& policy = group_.policy.preemption;
    for (LiveIndex index = 0; index < model_.live.size(); ++index) {
      const Live& live = model_.live[index];
      const auto kernels = live.kernels.view();
      if (std::none_of(kernels.begin(), kernels.end(),
                       [&](const Live::Kernel& k) { return k.group == group_index_; }))
        continue;
      if (live.leaving) leaving->push_back(index);
      if (live.leaving || !live.preemptible || live.job_priority >= session_.job_priority) continue;
      if (!in_scope(policy.scope, session_, live) || !ran_long_enough(policy, live, model_.now)) continue;
      if (std::find(placed.begin(), placed.end(), live.id) == placed.end()) candidates_.push_back(index);
    }
    const auto key = [&](LiveIndex index) {
      const Live& live = model_.live[index];
      const Timestamp start = policy.order == PreemptOrder::kNewest ? -live.started : live.started;
      return std::tuple{live.job_priority, start, live.id};
    };
    std::sort(candidates_.begin(), candidates_.end(),
              [&](LiveIndex a, LiveIndex b) { return key(a) < key(b); });
  }

  // As if it had ended. / As it was.
  void credit(LiveIndex live) { change(live, undo_take); }
  void take_back(LiveIndex live) { change(live, take); }
  template <class Change> void change(LiveIndex live, const Change& how) {
    for (const Live::Kernel& kernel : model_.live[live].kernels.view()) {
      if (kernel.group == group_index_) how(model_, kernel.requirement, kernel.agent, kernel.devices.view());
    }
  }

  bool fits() {
    const bool found = take_places(model_, group_, wanted_, &places_);
    give_back_places(model_, places_);
    return found;
  }

  PreemptPlan without_candidates() {
    for (const LiveIndex live : candidates_) credit(live);
    PreemptPlan plan;
    std::vector<LiveIndex> gone = candidates_;
    if (fits()) {
      for (std::size_t i = gone.size(); i-- > 0;) {  // the last in order stay if they can
        take_back(gone[i]);
        if (fits()) {
          gone.erase(gone.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
          credit(gone[i]);
        }
      }
      if (group_.policy.preemption.order == PreemptOrder::kFewestSessions) find_fewer(&gone);
      fits();  // the places with just those gone
      if (gone.size() <= kVictimsMax) plan = {gone, places_};
    }
    for (const LiveIndex live : gone) take_back(live);
    return plan;
  }

  // A set of fewer sessions, if there is one, none of a higher job priority: sizes from 1 on; of one size the
  // first set in order.
  void find_fewer(std::vector<LiveIndex>* gone) {
    const std::int32_t highest = model_.live[gone->back()].job_priority;
    for (const LiveIndex live : *gone) take_back(live);
    tries_ = 0;
    const std::vector<std::vector<std::size_t>> pools = pools_of_candidates(highest);
    std::optional<std::vector<std::size_t>> best;
    for (std::size_t size = 1; size < gone->size() && !best; ++size) {
      for (const std::vector<std::size_t>& pool : pools) {
        std::vector<std::size_t> chosen;
        if (choose(pool, 0, size, &chosen) && (!best || chosen < *best)) best = chosen;
      }
    }
    if (best) {
      gone->clear();
      for (const std::size_t place : *best) gone->push_back(candidates_[place]);
    }
    for (const LiveIndex live : *gone) credit(live);
  }

  // Places in candidates_ among which a set is looked for: what stands on one agent, for a session that needs
  // one agent.
  std::vector<std::vector<std::size_t>> pools_of_candidates(std::int32_t highest) const {
    std::map<std::uint64_t, std::vector<std::size_t>> pools;  // by the agent's label
    for (std::size_t place = 0;
         place < candidates_.size() && model_.live[candidates_[place]].job_priority <= highest; ++place) {
      for (const Live::Kernel& kernel : model_.live[candidates_[place]].kernels.view()) {
        const bool one_agent = wanted_.key.mode == Mode::kSingleNode;
        if (kernel.group != group_index_) continue;
        std::vector<std::size_t>& pool = pools[one_agent ? model_.agents[kernel.agent].label : 0];
        if (pool.empty() || pool.back() != place) pool.push_back(place);
      }
    }
    std::vector<std::vector<std::size_t>> all;
    all.reserve(pools.size());
    for (auto& [label, pool] : pools) all.push_back(std::move(pool));
    return all;
  }

  // The first `size` of the pool, from `from` on, without which it fits; they are taken back.
  bool choose(const std::vector<std::size_t>& pool, std::size_t from, std::size_t size,
              std::vector<std::size_t>* chosen) {
    if (size == 0) return tries_++ < kMostTries && fits();
    for (std::size_t i = from; i + size <= pool.size() && tries_ < kMostTries; ++i) {
      credit(candidates_[pool[i]]);
      chosen->push_back(pool[i]);
      const bool found = choose(pool, i + 1, size - 1, chosen);
      take_back(candidates_[pool[i]]);
      if (found) return true;
      chosen->pop_back();
    }
    return false;
  }

  Model& model_;
  Group& group_;
  GroupIndex group_index_;
  const Pending& session_;
  const SessionClass& wanted_;
  std::vector<LiveIndex> candidates_;
  Places places_;
  std::size_t tries_ = 0;
};

}  // namespace

std::optional<std::int32_t> least_victim_priority(const Model& model, const Group& group) {
  std::optional<std::int32_t> least;
  if (!group.policy.preemption.enabled) return least;
  const auto here = [own = model.index_of(group)](const Live::Kernel& kernel) { return kernel.group == own; };
  for (const Live& live : model.live) {
    if (!live.preemptible || live.leaving || (least && live.job_priority >= *least)) continue;
    const auto kernels = live.kernels.view();
    if (std::any_of(kernels.begin(), kernels.end(), here)) least = live.job_priority;
  }
  return least;
}

namespace {

bool outranks(const Group& group, const std::optional<std::int32_t>& least) {
  return least && !group.job_priorities.empty() && group.job_priorities.rbegin()->first > *least;
}

}  // namespace

bool somebody_may_preempt(const Model& model, const Group& group) {
  return outranks(group, least_victim_priority(model, group));
}

Preemptions::Preemptions(Model& model, Group& group)
    : model_(model), group_(group), least_(least_victim_priority(model, group)) {}

bool Preemptions::possible() const { return outranks(group_, least_); }

Preemptions::Asked Preemptions::asked(PendingIndex index) const {
  const Pending& session = model_.pending[index];
  Asked asked{session.session_class, session.job_priority, 0, 0};
  switch (group_.policy.preemption.scope) {
    case PreemptScope::kUser: std::get<2>(asked) = session.user; break;
    case PreemptScope::kProject: std::get<3>(asked) = session.project; [[fallthrough]];
    case PreemptScope::kDomain: std::get<2>(asked) = session.domain; break;
    case PreemptScope::kResourceGroup: break;
  }
  return asked;
}

PreemptPlan Preemptions::plan(PendingIndex index, std::span<const SessionId> placed) {
  const Pending& session = model_.pending[index];
  if (!least_ || session.system || session.job_priority <= *least_) return {};
  const Asked asks = asked(index);
  if (refused_.contains(asks)) return {};
  PreemptPlan plan = Planner(model_, group_, index).run(placed);
  // Several kernels are searched for one after the other: with less room they may by chance find more.
  const SessionClass& wanted = model_.classes[session.session_class];
  if (plan.victims.empty() && wanted.kernels == 1 && !wanted.key.waits_for_members()) refused_.insert(asks);
  return plan;
}

void carry_out(Model& model, PendingIndex preemptor, const PreemptPlan& plan) {
  for (const LiveIndex victim : plan.victims) model.live[victim].leaving = true;
  std::vector<Live::Kernel> kernels;
  for (std::size_t i = 0; i < plan.places.placements.size(); ++i) {
    const KernelPlacement& placement = plan.places.placements[i];
    const RequirementIndex requirement = plan.places.requirements[i];
    ++model.requirement_uses[requirement];
    kernels.push_back({static_cast<KernelIndex>(i), model.agents[placement.agent].group, requirement,
                       placement.agent, Few(placement.devices)});
  }
  add_held_place(model, preemptor, std::move(kernels));
}

}  // namespace berth::placement
