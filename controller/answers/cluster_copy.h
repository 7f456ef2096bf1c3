// A copy of the tables on which a pass over one group decides as on the original, and nothing that is done
// there is seen here.
#pragma once

#include "controller/placement/model/model.h"

namespace berth::placement {

// `to` becomes the copy; what it was is overwritten (its memory is used again). Indexes mean the same in
// both. Of other groups only what a session that ends may touch is there; a policy of one's own is not asked
// in the copy: it selects as concentrated.
void copy_for_pass(const Model& from, GroupIndex group, Model* to);

// What a copy costs, in looks at an agent: rows of all tables that it goes through.
std::uint64_t copy_work(const Model& model);

// What a pass over the group costs, in looks at an agent: a search for each class, and where its reason
// matters and was never worked out a look at every agent. Order backfill looks ahead over all who live,
// unless the head's place is known and nothing `changed`. Where somebody may preempt, victims are sought for
// each session that waits, among all who live.
std::uint64_t pass_work(const Model& model, const Group& group, bool changed);

// Before a pass over a copy: reasons that nobody will hear and that decide nothing (the queue is greedy) are
// not worked out anew; in a group of many agents, where they may lag behind anyway, those that are recorded
// stand for those that were never worked out. But for the session that it is about.
void trust_reasons(Model& copy, GroupIndex group, PendingIndex but);

}  // namespace berth::placement
