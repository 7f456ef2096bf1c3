#include "controller/placement/pass/candidates.h"

#include <algorithm>

#include "controller/placement/cluster/ledger.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/pass/try_session.h"
#include "controller/placement/select/least_rise.h"
#include "controller/placement/select/round_robin.h"
#include "controller/placement/select/score.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

using What = ScorePart::What;

bool comes_first(const ScorePart& a, const ScorePart& b) {
  if (a.has != b.has) return a.has;
  return a.value < b.value;
}

// As concentrated and dispersed compare (score.h).
void add_amounts(const Model& model, const Group& group, const Need& need, Candidate* candidate) {
  const Agent& agent = model.agents[candidate->agent];
  const bool least = group.policy.select == Select::kConcentrated || group.policy.select == Select::kCustom;
  candidate->score.push_back(
      {What::kUnused, kNoSlot, unused_capabilities(agent, need, rated_slots(group)), true});
  for (const SlotId slot : rated_slots(group)) {
    const auto cells = cells_of(agent, slot);
    const Amount free = free_of(cells);
    candidate->score.push_back({What::kFree, slot, least ? free : -free, !cells.empty()});
  }
}

Candidate rated(const Model& model, const Group& group, const Choice& choice, const Need& need,
                AgentIndex agent) {
  Candidate candidate{agent, {}};
  const Tier tier = choice.tier(agent);
  candidate.score.push_back({What::kFailedOn, kNoSlot, tier.failed_on ? 1 : 0, true});
  candidate.score.push_back({What::kNotDesignated, kNoSlot, tier.not_designated ? 1 : 0, true});
  candidate.score.push_back({What::kMembers, kNoSlot, tier.members, true});
  if (by_rise(group.policy.select)) {
    std::vector<KernelPlacement> ignored;
    const auto rise = rise_on(model, group, agent, need, &ignored);
    candidate.score.push_back({What::kRise, kNoSlot, rise.value_or(RatingIndex::kUnfit), true});
  } else if (group.policy.select != Select::kRoundRobin) {
    add_amounts(model, group, need, &candidate);
  }
  return candidate;
}

// Only those of the best tier take part; whose turn it is comes first.
void take_turns(const Group& group, std::vector<Candidate>* all) {
  if (all->empty()) return;
  std::size_t part = 1;
  while (part < all->size() && (*all)[part].score == all->front().score) ++part;
  const std::size_t turn = group.round_robin_index % part;
  for (std::size_t i = 0; i < all->size(); ++i)
    (*all)[i].score.push_back(
        {What::kTurn, kNoSlot, static_cast<std::int64_t>(i < part ? (i + part - turn) % part : i), true});
  std::rotate(all->begin(), all->begin() + static_cast<std::ptrdiff_t>(turn),
              all->begin() + static_cast<std::ptrdiff_t>(part));
}

Need need_of_search(const Model& model, const SessionClass& wanted, std::size_t kernel) {
  if (wanted.key.mode == Mode::kSingleNode) return wanted.need;
  return need_of(model, requirements_of(wanted.key)[kernel]);
}

}  // namespace

Candidates candidates_of(const Model& model, const Group& group, const ClassKey& key, const Need& need) {
  Candidates found;
  found.agents = group.agents.size();
  const Choice choice(model, group, key);
  Fitter& fitter = group.index->fitter();
  std::vector<Verdict> out;
  for (const auto& [label, index] : group.agents) {
    Verdict verdict = judge(model, model.agents[index], need, choice, fitter);
    if (verdict.code == Code::kNone)
      found.remaining.push_back(rated(model, group, choice, need, index));
    else
      out.push_back(std::move(verdict));
  }
  for (const Code code : kFilters) {
    Candidates::Filter filter{code, {}};
    for (Verdict& verdict : out)
      if (verdict.code == code) filter.removed.push_back(std::move(verdict));
    if (!filter.removed.empty()) found.filters.push_back(std::move(filter));
  }
  std::stable_sort(found.remaining.begin(), found.remaining.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return std::lexicographical_compare(a.score.begin(), a.score.end(), b.score.begin(),
                                                         b.score.end(), comes_first);
                   });
  if (group.policy.select == Select::kRoundRobin) take_turns(group, &found.remaining);
  for (const Candidate& one : found.remaining)
    if (one.score == found.remaining.front().score) ++found.ties;
  return found;
}

std::vector<Searched> searches_of(Model& model, PendingIndex session, std::size_t most) {
  SessionClass& wanted = model.classes[model.pending[session].session_class];
  Group& group = model.groups[wanted.key.group];
  std::vector<KernelPlacement> chosen;
  find_places(model, group, wanted, &chosen);
  const bool single = wanted.key.mode == Mode::kSingleNode;
  const std::vector<RequirementIndex> requirements = requirements_of(wanted.key);
  const std::size_t searches = std::min(most, single ? 1 : requirements.size());
  const std::uint64_t changes = group.changes;
  const WhileTurning turn(group);
  std::vector<Searched> all;
  Places taken;
  for (std::size_t kernel = 0; kernel < searches; ++kernel) {
    all.push_back({kernel, candidates_of(model, group, wanted.key, need_of_search(model, wanted, kernel))});
    if (single || kernel == chosen.size()) break;
    take(model, requirements[kernel], chosen[kernel].agent, chosen[kernel].devices);
    move_turn(group, Mode::kMultiNode, 1);
    taken.requirements.push_back(requirements[kernel]);
    taken.placements.push_back(chosen[kernel]);
  }
  give_back_places(model, taken);
  group.changes = changes;
  return all;
}

}  // namespace berth::placement
