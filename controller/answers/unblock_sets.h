// The three searches behind unblock.h. Each tries ideas in a fixed order, proves those it keeps, and says
// whether it saw all.
#pragma once

#include "controller/answers/unblock.h"
#include "controller/answers/what_if.h"

namespace berth::placement {

// An agent of the group that passes all filters, and what lacks there for one need.
struct NearSlot {
  SlotId slot = kNoSlot;
  Amount at_least = 0;  // less than this freed does not help (in sum; which devices matter too)
  Amount most = 0;      // the largest amount that it could give now
};
struct Near {
  AgentIndex agent = kNoAgent;
  bool any_holder = false;  // whoever ends helps: no room for containers, or kernels that only fail together
  std::vector<NearSlot> lacks;
};
// Those that lack least first, `most` of them.
inline constexpr std::size_t kAgentsLooked = 32;
std::vector<Near> nearest(const Model& model, const Group& group, const ClassKey& key, const Need& need,
                          std::size_t most);

// Sets of those who wait before it. A set that does not do needs one more of those who mattered in its run
// (who started, blocked, or has a place held): all others may leave without a difference, so following them
// alone finds every minimal set.
SessionSets find_leaves(Model& model, PendingIndex session, const UnblockOptions& options, WhatIf& what_if,
                        Work* work);

// Sets of live sessions. Few in the group: all subsets. Else those on the agents that lack least, for the
// session or for the head that blocks it, again after each set that helped the head but not yet the session.
// `near`: of a session of one kernel, what nearest() says for it.
SessionSets find_ends(Model& model, PendingIndex session, const UnblockOptions& options,
                      const std::vector<Near>& near, WhatIf& what_if, Work* work);

std::vector<Less> find_less(Model& model, PendingIndex session, const std::vector<Near>& near,
                            WhatIf& what_if, Work* work, bool* complete);

// Whether a set that is already known is part of this one.
bool has_part(const std::vector<SessionSet>& known, const SessionSet& set);

}  // namespace berth::placement
