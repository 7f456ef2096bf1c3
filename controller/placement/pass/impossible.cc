#include "controller/placement/pass/impossible.h"

#include <deque>
#include <set>

#include "controller/placement/model/catalog.h"
#include "controller/placement/pass/diagnose.h"
#include "controller/placement/pass/gang_search.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

// While this lives, the agent takes sessions and has none. The search index is not told.
class Emptied {
 public:
  explicit Emptied(Agent& agent)
      : agent_(agent),
        cells_(agent.cells),
        containers_(agent.containers),
        base_containers_(agent.base_containers),
        schedulable_(agent.schedulable),
        draining_(agent.draining) {
    for (SlotCell& cell : agent.cells) cell.used = 0;
    agent.containers = agent.base_containers = 0;
    agent.schedulable = true;
    agent.draining = false;
  }
  Emptied(const Emptied&) = delete;
  ~Emptied() {
    agent_.cells.swap(cells_);
    agent_.containers = containers_;
    agent_.base_containers = base_containers_;
    agent_.schedulable = schedulable_;
    agent_.draining = draining_;
  }

 private:
  Agent& agent_;
  std::vector<SlotCell> cells_;
  std::uint32_t containers_, base_containers_;
  bool schedulable_, draining_;
};

// The agents that could hold the need if they were empty, by id, `most` of them at most. `nearest`: if there
// is none, the agent that lacks least.
std::vector<AgentIndex> hosts(Model& model, const Group& group, const Need& need, const Choice& choice,
                              std::size_t most, Verdict* nearest) {
  std::vector<AgentIndex> found;
  for (const auto& [label, index] : group.agents) {
    const Emptied empty(model.agents[index]);
    const Verdict verdict = judge(model, model.agents[index], need, choice, group.index->fitter());
    if (verdict.code == Code::kNone) found.push_back(index);
    if (found.size() == most) break;
    if (found.empty() && says_more(model, verdict, *nearest)) *nearest = verdict;
  }
  return found;
}

// Whether all kernels find a place at once with these agents empty.
bool fits_together(Model& model, Group& group, const ClassKey& key, const std::set<AgentIndex>& hosts) {
  CustomPolicy* const custom =
      std::exchange(group.custom, nullptr);  // it says what it prefers, not what fits
  const std::uint64_t changes = group.changes;
  std::deque<Emptied> empty;
  for (const AgentIndex host : hosts) {
    empty.emplace_back(model.agents[host]);
    group.index->changed(model, host);
  }
  Places ignored;
  const bool fits = search_gang(model, group, key, &ignored);
  empty.clear();
  for (const AgentIndex host : hosts) group.index->changed(model, host);
  group.changes = changes;
  group.custom = custom;
  return fits;
}

// n kernels of which each fits on n agents always find places; those of which fewer agents can hold one are
// searched for, with all of these agents empty.
Reason judge_gang(Model& model, Group& group, const ClassKey& key, std::size_t kernels,
                  const Choice& choice) {
  std::set<AgentIndex> all;
  bool plenty = true;
  for (const KernelCount& part : key.kernels) {
    Verdict nearest;
    const Need need = need_of(model, part.requirement);
    const std::vector<AgentIndex> found = hosts(model, group, need, choice, kernels, &nearest);
    if (found.empty()) return {Code::kNever, reason_of(nearest).slot};
    plenty = plenty && found.size() == kernels;
    all.insert(found.begin(), found.end());
  }
  return plenty || fits_together(model, group, key, all) ? Reason{} : Reason{Code::kNever, kNoSlot};
}

Reason judge_class(Model& model, Group& group, const SessionClass& wanted) {
  if (group.agents.empty()) return {};
  ClassKey key = wanted.key;
  key.rule = GroupRule::kNone;  // members come and go
  const Choice choice(model, group, key);
  if (key.mode == Mode::kMultiNode) return judge_gang(model, group, key, wanted.kernels, choice);
  Verdict nearest;
  if (!hosts(model, group, wanted.need, choice, 1, &nearest).empty()) return {};
  return {Code::kNever, reason_of(nearest).slot};
}

}  // namespace

Reason impossible(Model& model, Group& group, const SessionClass& wanted) {
  const RefusalIndex known = wanted.refusal;
  if (model.refusals[known].judged_at != group.capacities) {
    model.refusals[known].impossible = judge_class(model, group, wanted);
    model.refusals[known].judged_at = group.capacities;
  }
  return model.refusals[known].impossible;
}

}  // namespace berth::placement
