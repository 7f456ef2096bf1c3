#include "controller/scheduler/round_robin.h"

#include "controller/scheduler/search_index.h"

namespace berth::scheduler {

AgentIndex next_in_turn(const Model& model, const Group& group, const Choice& choice, const Need& need,
                        std::vector<KernelPlacement>* placements) {
  Fitter& fitter = group.index->fitter();
  std::vector<AgentIndex> fitting;
  Tier best;
  for (const auto& [label, index] : group.agents) {
    if (choice.refusal(index) != Code::kNone) continue;
    if (fitter.fit(model, model.agents[index], need, placements) != Code::kNone) continue;
    const Tier tier = choice.is_special(index) ? choice.tier(index) : choice.rest_tier();
    if (fitting.empty() || tier < best) {
      fitting.clear();
      best = tier;
    }
    if (tier == best) fitting.push_back(index);
  }
  if (fitting.empty()) return kNoAgent;
  const AgentIndex next = fitting[group.round_robin_index % fitting.size()];
  fitter.fit(model, model.agents[next], need, placements);
  return next;
}

void move_turn(Group& group, std::int64_t places) {
  if (group.policy.select == Select::kRoundRobin) group.round_robin_index += static_cast<std::uint64_t>(places);
}

}  // namespace berth::scheduler
