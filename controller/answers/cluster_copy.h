// A copy of the tables for a trial: a pass over one group decides there as on the original, and leaves the
// original alone.
#pragma once

#include <cstdint>

#include "controller/placement/model/model.h"

namespace berth::placement {

// Makes `to` the copy; its memory is used again. Indexes mean the same in both. Of other groups, the copy has
// only what the end of a session may touch. A group that selects by a policy of its own concentrates in the
// copy.
void copy_for_pass(const Model& from, GroupIndex group, Model* to);

// What a copy costs, in looks at an agent: a look for each row that is copied.
std::uint64_t copy_work(const Model& model);

// What a pass over the group costs, in looks at an agent: a search for each class, and a look at every agent
// for each reason that matters and was never worked out. Order backfill looks ahead over all live sessions,
// unless the head's place is known and nothing `changed`. In a group with preemption, each waiting session
// seeks victims among all live sessions.
std::uint64_t pass_work(const Model& model, const Group& group, bool changed);

// To be called before a pass over a copy: uses recorded refusal reasons where they cannot change the result.
// That is so in greedy queues, and in groups of so many agents that recorded reasons may lag behind anyway.
// The reason of `but`, the session that was asked about, is always worked out.
void trust_reasons(Model& copy, GroupIndex group, PendingIndex but);

}  // namespace berth::placement
