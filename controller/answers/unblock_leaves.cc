#include <algorithm>
#include <set>

#include "controller/answers/unblock_sets.h"

namespace berth::placement {

bool has_part(const std::vector<SessionSet>& known, const SessionSet& set) {
  return std::any_of(known.begin(), known.end(), [&](const SessionSet& part) {
    return std::includes(set.begin(), set.end(), part.begin(), part.end());
  });
}

namespace {

WhatIf::Run run_without(Model& model, const SessionSet& set, WhatIf& what_if) {
  what_if.reset();
  for (const SessionId& id : set) what_if.leave(model.find_pending_index(id));
  WhatIf::Run run = what_if.run();
  what_if.reset();
  return run;
}

}  // namespace

SessionSets find_leaves(Model& model, PendingIndex, const UnblockOptions& options, WhatIf& what_if,
                        Work* work) {
  SessionSets result;
  std::set<SessionSet> level{SessionSet{}};
  for (std::uint32_t size = 0; size <= options.max_size && !level.empty(); ++size) {
    std::set<SessionSet> next;
    for (const SessionSet& set : level) {
      if (has_part(result.sets, set)) continue;
      if (work->spent() || result.sets.size() == options.max_sets) return result;
      WhatIf::Run run = run_without(model, set, what_if);
      if (run.started && !work->spent()) {
        result.sets.push_back(set);
        continue;
      }
      if (size == options.max_size) continue;
      if (run.blocker != kNothing) run.started_too.push_back(run.blocker);
      run.started_too.insert(run.started_too.end(), run.reserved_too.begin(), run.reserved_too.end());
      for (const PendingIndex mattered : run.started_too) {
        SessionSet larger = set;
        const SessionId id = model.pending[mattered].id;
        if (std::binary_search(set.begin(), set.end(), id)) continue;
        larger.insert(std::lower_bound(larger.begin(), larger.end(), id), id);
        next.insert(std::move(larger));
      }
    }
    level.swap(next);
  }
  result.complete = !work->spent();
  return result;
}

}  // namespace berth::placement
