#include "controller/placement/select/round_robin.h"

#include <algorithm>
#include <set>

#include "controller/placement/select/search_index.h"

namespace berth::placement {

AgentIndex next_in_turn(const Model& model, const Group& group, const Choice& choice, const Need& need,
                        std::vector<KernelPlacement>* placements) {
  Fitter& fitter = group.index->fitter();
  const auto fits = [&](AgentIndex index) {
    return fitter.fit(model, model.agents[index], need, placements) == Code::kNone;
  };
  const auto rate = [&](AgentIndex index) { return fits(index) ? std::int64_t{0} : RatingIndex::kUnfit; };
  std::vector<AgentIndex> standing_out;  // of the best tier, where something fits; then not of the rest
  Tier best;
  for (const AgentIndex index : choice.special()) {
    if (choice.refusal(index) != Code::kNone || !fits(index)) continue;
    const Tier tier = choice.tier(index);
    if (standing_out.empty() || tier < best) {
      standing_out.clear();
      best = tier;
    }
    if (tier == best) standing_out.push_back(index);
  }
  RatingIndex& ratings = group.index->ratings();
  std::vector<AgentIndex> except = choice.special();
  const RatingIndex::Row* row = nullptr;
  std::size_t rest = 0;
  if (choice.rest_allowed() && (standing_out.empty() || choice.rest_tier() <= best)) {
    row = &ratings.row_of(model, group, need, rate);
    rest = ratings.count(*row, except);
    if (rest > 0 && (standing_out.empty() || choice.rest_tier() < best)) standing_out.clear();
  }
  if (rest + standing_out.size() == 0) return kNoAgent;
  const std::size_t turn = group.round_robin_index % (rest + standing_out.size());
  AgentIndex next = kNoAgent;
  if (rest > 0) {
    const std::set<AgentIndex> takes_part(standing_out.begin(), standing_out.end());
    std::erase_if(except, [&](AgentIndex index) { return takes_part.contains(index); });
    next = ratings.nth(*row, except, turn);
  } else {
    std::sort(standing_out.begin(), standing_out.end(),
              [&](AgentIndex a, AgentIndex b) { return model.agents[a].label < model.agents[b].label; });
    next = standing_out[turn];
  }
  fitter.fit(model, model.agents[next], need, placements);
  return next;
}

void move_turn(Group& group, Mode mode, std::size_t kernels) {
  if (group.policy.select == Select::kRoundRobin)
    group.round_robin_index += mode == Mode::kSingleNode ? 1 : kernels;
}

}  // namespace berth::placement
