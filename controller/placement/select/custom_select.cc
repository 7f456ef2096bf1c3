#include "controller/placement/select/custom_select.h"

#include <algorithm>

#include "controller/placement/select/score.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

std::vector<AgentIndex> candidates(const Model& model, const Group& group, const Choice& choice,
                                   const Need& need, std::vector<KernelPlacement>* placements) {
  std::vector<AgentIndex> fitting;
  Tier best;
  for (const auto& [label, index] : group.agents) {
    if (choice.refusal(index) != Code::kNone) continue;
    if (group.index->fitter().fit(model, model.agents[index], need, placements) != Code::kNone) continue;
    const Tier tier = choice.is_special(index) ? choice.tier(index) : choice.rest_tier();
    if (fitting.empty() || tier < best) {
      fitting.clear();
      best = tier;
    }
    if (tier == best) fitting.push_back(index);
  }
  return fitting;
}

// Slots that do not bear on a selection keep their place among the names, without amounts.
CustomQuestion question_of(const Model& model, const Group& group, const Need& need,
                           const std::vector<AgentIndex>& agents) {
  CustomQuestion question;
  for (const SlotType& slot : model.slots) question.slots.push_back({slot.name, slot.kind, 0});
  const auto rated = [&](SlotId slot) {
    const std::span<const SlotId> all = rated_slots(group);
    return std::find(all.begin(), all.end(), slot) != all.end();
  };
  for (const SlotAmount& asked : need.sums)
    if (rated(asked.slot)) question.slots[asked.slot].asked = asked.amount;
  question.kernels = need.containers;
  for (const AgentIndex index : agents) {
    const Agent& agent = model.agents[index];
    CustomQuestion::Agent& out = question.agents.emplace_back();
    out.id = agent.id;
    out.containers = agent.containers;
    for (const AgentDevice& device : agent.devices) out.devices.push_back({device.id, device.numa});
    for (const SlotCell& cell : agent.cells)
      if (rated(cell.slot)) out.amounts.push_back({cell.slot, cell.device, cell.capacity, cell.free()});
  }
  return question;
}

}  // namespace

std::optional<AgentIndex> find_by_policy(const Model& model, const Group& group, const Choice& choice,
                                         const Need& need, std::vector<KernelPlacement>* placements) {
  const std::vector<AgentIndex> fitting = candidates(model, group, choice, need, placements);
  if (fitting.empty()) return kNoAgent;
  if (fitting.size() > kCustomCandidatesMax) return std::nullopt;
  std::size_t best = 0;
  if (fitting.size() > 1) {
    std::vector<std::int64_t> scores(fitting.size(), 0);
    if (!group.custom->score(question_of(model, group, need, fitting), scores)) return std::nullopt;
    for (std::size_t i = 1; i < scores.size(); ++i)
      if (scores[i] > scores[best]) best = i;
  }
  group.index->fitter().fit(model, model.agents[fitting[best]], need, placements);
  return fitting[best];
}

}  // namespace berth::placement
