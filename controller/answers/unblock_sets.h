// The three searches behind unblock.h. Each tries candidates in a fixed order, keeps those that it proves,
// and says whether it tried all.
#pragma once

#include "controller/answers/unblock.h"
#include "controller/answers/what_if.h"

namespace berth::placement {

// An agent of the group that passes all filters, and the slots that lack there for one need.
struct NearSlot {
  SlotId slot = kNoSlot;
  Amount at_least = 0;  // to free less than this, in sum, does not help; the devices matter too
  Amount most = 0;      // the largest amount that the agent could give now
};
struct Near {
  AgentIndex agent = kNoAgent;
  bool any_holder = false;  // the end of any holder may help: containers lack, or each kernel fits alone, but
                            // not all together
  std::vector<NearSlot> lacks;
};
inline constexpr std::size_t kAgentsLooked = 32;
// Up to `most` agents, those that lack least first.
std::vector<Near> nearest(const Model& model, const Group& group, const ClassKey& key, const Need& need,
                          std::size_t most);

// Sets of the sessions that wait before this one. A set that does not do needs one more of the sessions that
// mattered in its run (those that started, blocked, or had a place held). All others may leave without a
// difference, so following these finds every minimal set.
SessionSets find_leaves(Model& model, PendingIndex session, const UnblockOptions& options, WhatIf& what_if,
                        Work* work);

// Sets of live sessions. With few live sessions in the group, all subsets are tried. Else candidates are the
// sessions on the agents that lack least, for the session or for the head that blocks it, and again after
// each set that helped the head but not yet the session. `near`: of a session of one kernel, the result of
// nearest().
SessionSets find_ends(Model& model, PendingIndex session, const UnblockOptions& options,
                      const std::vector<Near>& near, WhatIf& what_if, Work* work);

std::vector<Less> find_less(Model& model, PendingIndex session, const std::vector<Near>& near,
                            WhatIf& what_if, Work* work, bool* complete);

// Whether a known set is part of this one.
bool has_part(const std::vector<SessionSet>& known, const SessionSet& set);

}  // namespace berth::placement
