// What would let a waiting session start. Each answer is proved by a run of the scheduler on the changed
// state (what_if.h).
//
// A run is one pass: sessions that stand before this one in the queue take room first. A set is minimal if no
// part of it would do. Wait causes stay as they are, and limits are not counted anew when a session ends.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "controller/placement/cluster/cluster.h"

namespace berth::placement {

// A limit that holds the session, as the caller counts it. Sessions that wait before this one are not
// counted.
struct LimitGap {
  std::string name;       // "cuda.shares limit of project alpha"
  SlotId slot = kNoSlot;  // kNoSlot: a count of sessions
  Amount used = 0;
  Amount asked = 0;
  Amount limit = 0;
};

struct UnblockOptions {
  std::uint32_t max_size = 3;   // sessions in a set, 3 at most
  std::uint32_t max_sets = 8;   // alternatives of each kind
  std::uint64_t work = 20'000;  // looks at an agent (a search counts as 8)
  // The same if each run is a pass over a copy (what_if.h); a row copied counts as a look.
  std::uint64_t copy_work = 250'000;
  Timestamp now = 0;                  // the pass's clock, for order backfill and preemption
  std::uint32_t all_subsets_of = 24;  // up to so many live sessions in the group, all subsets are tried
  std::vector<LimitGap> limits;
  // Asked before another session is tried, as PassVisitor::admit; empty: all may start.
  std::function<bool(const SessionId&)> may_start;
};

using SessionSet = std::vector<SessionId>;  // ascending

// Minimal sets, by size, then ids. `complete`: there are no others up to max_size. Not complete: the search
// reached its bound.
struct SessionSets {
  std::vector<SessionSet> sets;
  bool complete = false;
  std::uint32_t size_max = 0;  // larger sets were not looked for; 0: there are none
};

// The session would start now with these amounts for each kernel, and all else as asked. The amount of a
// single slot is the largest that does; several slots must all give way.
struct LessAmount {
  SlotId slot = kNoSlot;
  Amount asked = 0;
  Amount amount = 0;
};
struct Less {
  std::size_t part = 0;  // which of the session's kernel specs
  std::vector<LessAmount> amounts;
};

struct LimitRaise {
  std::string name;
  SlotId slot = kNoSlot;
  Amount raise = 0;  // the least
};

struct Unblock {
  bool waits = false;              // false: no such pending session; all else is empty
  bool proved = true;              // false: the cell is too large for a run; only fits_alone is known
  bool concentrated = false;       // the group's own policy was not asked: as if the group concentrated
  SessionId head;                  // the session that blocks this one in the next pass
  std::vector<SessionId> victims;  // the next pass holds a place for the session; these have to go first
  bool has_cause = false;          // it has a wait cause: room alone does not start it
  bool starts_now = false;         // the next pass starts the session as things are
  bool fits_alone = false;         // the session would start now if it were the first of its queue
  SessionSets ends;                // the session starts if these end
  SessionSets leaves;              // the session starts if these leave the queue before it
  std::vector<Less> less;
  bool less_complete = false;
  std::vector<LimitRaise> raises;   // all of them together lift its wait cause
  bool starts_when_raised = false;  // and then the next pass starts it
};

Unblock unblock(Cluster& cluster, const SessionId& session, const UnblockOptions& options = {});

// The name by which the viewer knows a session; empty if the viewer may not see the session.
using NameSession = std::function<std::string(const SessionId&)>;

// The answer as lines for people. A session without a name is "another session".
std::vector<std::string> unblock_lines(const Cluster& cluster, const Unblock& unblock,
                                       const NameSession& name);

}  // namespace berth::placement
