#include "controller/placement/pass/gang_search.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "controller/placement/cluster/ledger.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/pass/try_session.h"
#include "controller/placement/select/choice.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

using Counts = std::vector<std::uint32_t>;  // by kind

struct Kind {
  RequirementIndex requirement = 0;
  std::vector<std::size_t> kernels;  // of the session
};

class Search {
 public:
  Search(Model& model, const Group& group, const ClassKey& key)
      : model_(model), group_(group), key_(key), requirements_(requirements_of(key)) {}

  bool run(Places* places) {
    places->requirements = requirements_;
    places->placements.assign(requirements_.size(), {});
    std::vector<RequirementIndex> plenty;
    if (!sort_out(&plenty)) return false;
    Counts remaining;
    for (const Kind& kind : scarce_) remaining.push_back(static_cast<std::uint32_t>(kind.kernels.size()));
    taken_.assign(agents_.size(), Counts(scarce_.size(), 0));
    add_up();
    if (!from(0, remaining)) return false;
    place_scarce(places);
    return place_plenty(plenty, places);
  }

 private:
  // Kinds that are scarce, and the agents that could take one of them; false if a kernel fits nowhere even
  // alone.
  bool sort_out(std::vector<RequirementIndex>* plenty) {
    std::vector<RequirementIndex> distinct = requirements_;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (const RequirementIndex requirement : distinct) {
      const std::vector<AgentIndex> found = agents_for(requirement);
      if (found.empty()) return false;
      if (found.size() >= requirements_.size()) {
        plenty->push_back(requirement);
        continue;
      }
      Kind& kind = scarce_.emplace_back();
      kind.requirement = requirement;
      for (std::size_t i = 0; i < requirements_.size(); ++i) {
        if (requirements_[i] == requirement) kind.kernels.push_back(i);
      }
      for (const AgentIndex agent : found) {
        if (std::find(agents_.begin(), agents_.end(), agent) == agents_.end()) agents_.push_back(agent);
      }
    }
    return true;
  }

  // Agents where one kernel fits now, the preferred one first; as many as there are kernels will do.
  std::vector<AgentIndex> agents_for(RequirementIndex requirement) const {
    const Need need = need_of(model_, requirement);
    const Choice choice(model_, group_, key_);
    Fitter& fitter = group_.index->fitter();
    std::vector<KernelPlacement> ignored;
    std::vector<AgentIndex> found;
    for (const AgentIndex agent : choice.special()) {
      const bool fits = choice.refusal(agent) == Code::kNone &&
                        fitter.fit(model_, model_.agents[agent], need, &ignored) == Code::kNone;
      if (fits) found.push_back(agent);
    }
    std::sort(found.begin(), found.end(),
              [&](AgentIndex a, AgentIndex b) { return choice.tier(a) < choice.tier(b); });
    if (!choice.rest_allowed()) return found;
    std::vector<AgentIndex> except = choice.special();
    while (found.size() < requirements_.size()) {
      const AgentIndex next = group_.index->find(model_, group_, need, except, &ignored);
      if (next == kNoAgent) break;
      found.push_back(next);
      except.insert(std::lower_bound(except.begin(), except.end(), next), next);
    }
    return found;
  }

  std::vector<KernelCount> kernels_of(const Counts& counts) const {
    std::vector<KernelCount> kernels;
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
      if (counts[kind] > 0) kernels.push_back({scarce_[kind].requirement, counts[kind]});
    }
    return kernels;
  }

  bool fits(std::size_t agent, const Counts& counts) {
    const auto known = fits_.find({agent, counts});
    if (known != fits_.end()) return known->second;
    std::vector<KernelPlacement> ignored;
    const Need need = need_of(model_, kernels_of(counts));
    const bool fit =
        group_.index->fitter().fit(model_, model_.agents[agents_[agent]], need, &ignored) == Code::kNone;
    return fits_[{agent, counts}] = fit;
  }

  // What each agent and those after it have free together, of each slot that a scarce kernel asks for.
  void add_up() {
    for (const Kind& kind : scarce_) {
      for (const SlotAmount& asked : model_.requirements[kind.requirement].slots) slots_.insert(asked.slot);
    }
    for (const SlotId slot : slots_) {
      std::vector<Amount>& sums = free_from_.emplace_back(agents_.size() + 1, 0);
      for (std::size_t agent = agents_.size(); agent-- > 0;) {
        const Amount free = std::max<Amount>(free_of(cells_of(model_.agents[agents_[agent]], slot)), 0);
        sums[agent] = std::min(kAmountMax, sums[agent + 1] + free);
      }
    }
  }

  // Whether there is enough in sum for what remains.
  bool enough(std::size_t agent, const Counts& remaining) const {
    std::size_t place = 0;
    for (const SlotId slot : slots_) {
      __int128 asked = 0;
      for (std::size_t kind = 0; kind < remaining.size(); ++kind) {
        for (const SlotAmount& one : model_.requirements[scarce_[kind].requirement].slots) {
          if (one.slot == slot) asked += static_cast<__int128>(one.amount) * remaining[kind];
        }
      }
      if (asked > free_from_[place++][agent]) return false;
    }
    return true;
  }

  // Whether what remains fits on this agent and those after it; taken_ says how.
  bool from(std::size_t agent, const Counts& remaining) {
    if (std::all_of(remaining.begin(), remaining.end(), [](std::uint32_t count) { return count == 0; }))
      return true;
    if (agent == agents_.size() || !enough(agent, remaining)) return false;
    if (failed_.size() >= kMostStates || failed_.contains({agent, remaining})) return false;
    for (const Counts& largest : largest_sets(agent, remaining)) {
      Counts rest = remaining;
      for (std::size_t kind = 0; kind < rest.size(); ++kind) rest[kind] -= largest[kind];
      taken_[agent] = largest;
      if (from(agent + 1, rest)) return true;
    }
    taken_[agent].assign(scarce_.size(), 0);
    failed_.insert({agent, remaining});
    return false;
  }

  std::vector<Counts> largest_sets(std::size_t agent, const Counts& remaining) {
    std::vector<Counts> all;
    Counts counts(remaining.size(), 0);
    add_sets(agent, remaining, 0, &counts, &all);
    return all;
  }

  // Sets that begin with `counts` up to `kind`, the largest numbers first, without those that are part of an
  // earlier one.
  void add_sets(std::size_t agent, const Counts& remaining, std::size_t kind, Counts* counts,
                std::vector<Counts>* all) {
    if (kind == remaining.size()) {
      const bool part = std::any_of(all->begin(), all->end(), [&](const Counts& larger) {
        return std::equal(counts->begin(), counts->end(), larger.begin(), std::less_equal<>());
      });
      if (!part) all->push_back(*counts);
      return;
    }
    std::uint32_t& count = (*counts)[kind];
    while (count < remaining[kind]) {
      ++count;
      if (fits(agent, *counts)) continue;
      --count;
      break;
    }
    const bool last = kind + 1 == remaining.size();
    for (;; --count) {
      add_sets(agent, remaining, kind + 1, counts, all);
      if (count == 0 || last) break;
    }
    count = 0;
  }

  void place_scarce(Places* places) {
    std::vector<std::size_t> next(scarce_.size(), 0);
    for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
      const Need need = need_of(model_, kernels_of(taken_[agent]));
      if (need.containers == 0) continue;
      std::vector<KernelPlacement> placed;
      group_.index->fitter().fit(model_, model_.agents[agents_[agent]], need, &placed);
      std::size_t at = 0;
      for (std::size_t kind = 0; kind < scarce_.size(); ++kind) {
        for (std::uint32_t i = 0; i < taken_[agent][kind]; ++i) {
          places->placements[scarce_[kind].kernels[next[kind]++]] = placed[at++];
        }
      }
    }
  }

  // The others, one after the other beside the scarce ones; then all is given back.
  bool place_plenty(const std::vector<RequirementIndex>& plenty, Places* places) {
    Places taken;
    const auto put = [&](std::size_t kernel) {
      const KernelPlacement& placement = places->placements[kernel];
      take(model_, requirements_[kernel], placement.agent, placement.devices);
      taken.requirements.push_back(requirements_[kernel]);
      taken.placements.push_back(placement);
    };
    for (const Kind& kind : scarce_) {
      for (const std::size_t kernel : kind.kernels) put(kernel);
    }
    bool all = true;
    std::vector<KernelPlacement> one;
    for (std::size_t kernel = 0; kernel < requirements_.size() && all; ++kernel) {
      if (!std::binary_search(plenty.begin(), plenty.end(), requirements_[kernel])) continue;
      all = find_for(model_, group_, key_, need_of(model_, requirements_[kernel]), &one) != kNoAgent;
      if (!all) break;
      places->placements[kernel] = one.front();
      put(kernel);
    }
    give_back_places(model_, taken);
    return all;
  }

  Model& model_;
  const Group& group_;
  const ClassKey& key_;
  std::vector<RequirementIndex> requirements_;  // by kernel
  std::vector<Kind> scarce_;
  std::vector<AgentIndex> agents_;              // that could take a scarce kernel
  std::vector<Counts> taken_;                   // by agent
  std::set<SlotId> slots_;                      // that a scarce kernel asks for
  std::vector<std::vector<Amount>> free_from_;  // by slots_; free on an agent and those after it
  std::map<std::pair<std::size_t, Counts>, bool> fits_;
  std::set<std::pair<std::size_t, Counts>> failed_;
};

}  // namespace

bool search_gang(Model& model, const Group& group, const ClassKey& key, Places* places) {
  return Search(model, group, key).run(places);
}

}  // namespace berth::placement
