#include <algorithm>
#include <set>

#include "controller/answers/unblock_sets.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/pass/diagnose.h"
#include "controller/placement/select/fit.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

Near look_near(const Model& model, const Group& group, const Need& need, const Verdict& verdict) {
  Near near{verdict.agent, verdict.code == Code::kContainerLimit, {}};
  const Agent& agent = model.agents[verdict.agent];
  for (const SlotAmount& asked : need.sums) {
    const auto cells = cells_of(agent, asked.slot);
    const Amount free = std::max<Amount>(free_of(cells), 0);
    const Amount most = group.index->fitter().most(model, agent, asked.slot, asked.amount);
    if (most >= asked.amount) continue;
    near.lacks.push_back({asked.slot, std::max<Amount>(asked.amount - free, 1), most});
  }
  near.any_holder = near.any_holder || near.lacks.empty();
  return near;
}

}  // namespace

std::vector<Near> nearest(const Model& model, const Group& group, const ClassKey& key, const Need& need,
                          std::size_t most) {
  const Choice choice(model, group, key);
  const auto lacks_less_here = [&](const Verdict& a, const Verdict& b) {
    return a.code != b.code ? a.code > b.code : lacks_less(model, a, b);
  };
  std::vector<Verdict> nearest;  // a heap, the one that lacks most first
  Verdict verdict;
  for (const auto& [label, agent] : group.agents) {
    const Code least = nearest.size() == most ? nearest.front().code : Code::kNone;
    if (!judge_into(model, model.agents[agent], need, choice, group.index->fitter(), least, &verdict))
      continue;
    if (verdict.code != Code::kNone && !is_blocking(verdict.code)) continue;
    if (nearest.size() == most) {
      if (!lacks_less_here(verdict, nearest.front())) continue;
      std::pop_heap(nearest.begin(), nearest.end(), lacks_less_here);
      std::swap(nearest.back(), verdict);
    } else {
      nearest.push_back(std::move(verdict));
    }
    std::push_heap(nearest.begin(), nearest.end(), lacks_less_here);
  }
  std::sort_heap(nearest.begin(), nearest.end(), lacks_less_here);
  std::vector<Near> result;
  result.reserve(nearest.size());
  for (const Verdict& near : nearest) result.push_back(look_near(model, group, need, near));
  return result;
}

namespace {

constexpr std::size_t kHoldersLooked = 32;  // of one agent

class EndFinder {
 public:
  EndFinder(Model& model, PendingIndex session, const UnblockOptions& options,
            const std::vector<Near>& own_near, WhatIf& what_if, Work* work)
      : model_(model),
        own_(model.classes[model.pending[session].session_class]),
        group_(model.groups[own_.key.group]),
        options_(options),
        own_near_(own_near),
        what_if_(what_if),
        work_(work) {}

  SessionSets find() {
    std::vector<LiveIndex> few;
    result_.size_max = options_.max_size;
    if (all_live(&few)) {
      if (few.size() <= options_.max_size) result_.size_max = 0;
      for (std::uint32_t size = 1; size <= options_.max_size; ++size) try_subsets(few, size);
      result_.complete = !stopped();
    } else {
      const bool undisturbed = run_with({}).first;  // then only what one agent has counts, whoever else waits
      bases_.insert(SessionSet{});
      for (std::uint32_t size = 0; size < options_.max_size && !stopped(); ++size) extend_all();
      result_.complete = undisturbed && saw_all_ && !stopped() && own_.kernels == 1;
    }
    std::sort(result_.sets.begin(), result_.sets.end(), [](const SessionSet& a, const SessionSet& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    return result_;
  }

 private:
  struct Held {
    LiveIndex live;
    std::vector<Amount> amounts;  // of the missing slots, on this agent
  };

  bool stopped() const { return work_->spent() || result_.sets.size() >= options_.max_sets; }

  // False when there are more than it pays to take all subsets of.
  bool all_live(std::vector<LiveIndex>* few) const {
    std::set<LiveIndex> seen;
    for (const auto& [label, agent] : group_.agents) {
      for (const LiveIndex holder : model_.agents[agent].holders) seen.insert(holder);
      if (seen.size() > options_.all_subsets_of) return false;
    }
    *few = by_id({seen.begin(), seen.end()});
    return true;
  }

  std::vector<LiveIndex> by_id(std::vector<LiveIndex> live) const {
    std::sort(live.begin(), live.end(),
              [&](LiveIndex a, LiveIndex b) { return model_.live[a].id < model_.live[b].id; });
    live.erase(std::unique(live.begin(), live.end()), live.end());
    return live;
  }

  WhatIf::Run run_with(const SessionSet& set) {
    what_if_.reset();
    for (const SessionId& id : set) what_if_.end(model_.find_live(id));
    work_->spend(1 + set.size());
    WhatIf::Run run = what_if_.run();
    what_if_.reset();
    run.started = run.started && !work_->spent();
    return run;
  }

  // True when the session starts; kept if no part of the set does it.
  bool try_set(const SessionSet& set, WhatIf::Run* run) {
    *run = run_with(set);
    if (!run->started) return false;
    if (is_minimal(set) && !work_->spent()) result_.sets.push_back(set);
    return true;
  }

  bool is_minimal(const SessionSet& set) {
    const std::size_t parts = std::size_t{1} << set.size();
    for (std::size_t bits = 1; bits + 1 < parts; ++bits) {
      SessionSet part;
      for (std::size_t i = 0; i < set.size(); ++i) {
        if ((bits >> i & 1) != 0) part.push_back(set[i]);
      }
      if (run_with(part).started) return false;
    }
    return true;
  }

  // ---- few sessions: every subset, by size ----

  void try_subsets(const std::vector<LiveIndex>& few, std::uint32_t size) {
    std::vector<std::size_t> at(size);
    for (std::size_t i = 0; i < size; ++i) at[i] = i;
    while (size <= few.size() && !stopped()) {
      SessionSet set;
      for (const std::size_t i : at) set.push_back(model_.live[few[i]].id);
      if (!has_part(result_.sets, set) && run_with(set).started) result_.sets.push_back(set);
      std::size_t moved = size;  // the last place that can move on
      while (moved > 0 && at[moved - 1] == few.size() - size + moved - 1) --moved;
      if (moved == 0) return;
      ++at[moved - 1];
      for (std::size_t i = moved; i < size; ++i) at[i] = at[i - 1] + 1;
    }
  }

  // ---- many: what the agents that lack least hold ----

  // To each set found so far that does not do yet: what helps whoever was stopped in its run.
  void extend_all() {
    std::set<SessionSet> bases;
    bases.swap(bases_);
    for (const SessionSet& base : bases) {
      if (stopped()) return;
      const WhatIf::Run run = base_run_ = run_with(base);
      const SessionClass& stopped_class =
          run.blocker == kNothing ? own_ : model_.classes[model_.pending[run.blocker].session_class];
      const Need need = stopped_class.key.mode == Mode::kSingleNode
                            ? stopped_class.need
                            : need_of(model_, stopped_class.key.kernels[run.part].requirement);
      const std::vector<Near> near = near_after(base, stopped_class, need);
      saw_all_ = saw_all_ && near.size() < kAgentsLooked;
      const auto most = static_cast<std::uint32_t>(options_.max_size - base.size());
      for (std::uint32_t size = 1; size <= most; ++size) {
        for (const Near& agent : near) try_agent(agent, base, size);
      }
    }
  }

  std::vector<Near> near_after(const SessionSet& base, const SessionClass& stopped_class, const Need& need) {
    if (base.empty() && &stopped_class == &own_ && own_.kernels == 1) return own_near_;
    for (const SessionId& id : base) what_if_.end(model_.find_live(id));
    work_->spend(group_.agents.size() / 8);
    std::vector<Near> near = nearest(model_, group_, stopped_class.key, need, kAgentsLooked);
    what_if_.reset();
    return near;
  }

  std::vector<Held> held_on(const Near& near) {
    std::vector<Held> result;
    const std::vector<LiveIndex> holders = by_id(model_.agents[near.agent].holders);
    for (const LiveIndex holder : holders) {
      Held held{holder, std::vector<Amount>(near.lacks.size(), 0)};
      for (const Live::Kernel& kernel : model_.live[holder].kernels.view()) {
        if (kernel.agent != near.agent) continue;
        for (const SlotAmount& slot : model_.requirements[kernel.requirement].slots) {
          for (std::size_t i = 0; i < near.lacks.size(); ++i) {
            if (near.lacks[i].slot == slot.slot) held.amounts[i] += slot.amount;
          }
        }
      }
      const bool helps = near.any_holder || std::any_of(held.amounts.begin(), held.amounts.end(),
                                                        [](Amount amount) { return amount > 0; });
      if (!helps) continue;  // it holds nothing of what lacks there
      if (result.size() == kHoldersLooked) {
        saw_all_ = false;
        break;
      }
      result.push_back(std::move(held));
    }
    return result;
  }

  void try_agent(const Near& near, const SessionSet& base, std::uint32_t size) {
    const std::vector<Held> held = held_on(near);
    std::vector<std::size_t> chosen;
    choose(near, held, base, size, &chosen);
  }

  void choose(const Near& near, const std::vector<Held>& held, const SessionSet& base, std::uint32_t size,
              std::vector<std::size_t>* chosen) {
    if (stopped()) return;
    if (chosen->size() == size) return try_chosen(near, held, base, *chosen);
    const std::size_t first = chosen->empty() ? 0 : chosen->back() + 1;
    for (std::size_t i = first; i < held.size(); ++i) {
      chosen->push_back(i);
      choose(near, held, base, size, chosen);
      chosen->pop_back();
    }
  }

  void try_chosen(const Near& near, const std::vector<Held>& held, const SessionSet& base,
                  const std::vector<std::size_t>& chosen) {
    for (std::size_t slot = 0; slot < near.lacks.size(); ++slot) {
      Amount freed = 0;
      for (const std::size_t i : chosen) freed += held[i].amounts[slot];
      if (freed < near.lacks[slot].at_least) return;
    }
    SessionSet set = base;
    for (const std::size_t i : chosen) set.push_back(model_.live[held[i].live].id);
    std::sort(set.begin(), set.end());
    if (std::adjacent_find(set.begin(), set.end()) != set.end()) return;
    if (!tried_.insert(set).second || has_part(result_.sets, set)) return;
    WhatIf::Run run;
    if (try_set(set, &run) || set.size() == options_.max_size) return;
    if (run.blocker != base_run_.blocker || run.started_too != base_run_.started_too) bases_.insert(set);
  }

  Model& model_;
  const SessionClass& own_;
  Group& group_;
  const UnblockOptions& options_;
  const std::vector<Near>& own_near_;
  WhatIf& what_if_;
  Work* work_;
  SessionSets result_;
  WhatIf::Run base_run_;
  std::set<SessionSet> tried_, bases_;  // bases_: helped somebody, not yet the session
  bool saw_all_ = true;
};

}  // namespace

SessionSets find_ends(Model& model, PendingIndex session, const UnblockOptions& options,
                      const std::vector<Near>& near, WhatIf& what_if, Work* work) {
  return EndFinder(model, session, options, near, what_if, work).find();
}

}  // namespace berth::placement
