// The queue of a group: lanes (priority bands, each with a second part for demoted sessions), and in a lane
// one queue for each class.
#pragma once

#include <cstdint>

#include "controller/placement/model/model.h"

namespace berth::placement {

// True if so many retries send a session behind its band (skip-after-n, n > 0).
bool demoted(const Group& group, std::uint32_t retries);
LaneKey lane_of(const Pending& session);
QueueKey key_of(const Group& group, const Pending& session);

// Puts the session into its lane, or takes it out; a session with a wait cause stands in Group::with_cause
// instead. REQUIRES (enqueue): the session stands nowhere. (dequeue): the session stands where its present
// values say. A no-op for a reserved session, which stands in no lane.
void enqueue(Model& model, PendingIndex session);
void dequeue(Model& model, PendingIndex session);

// True if the class is known to fit now, but not beside the head reservation.
bool known_behind(const Group& group, const SessionClass& session_class);

// True if a head that blocks stands before the session.
bool is_behind_head(const Model& model, const Group& group, const Pending& session);

// Counts the pending sessions (with a wait cause too) before this one, by lane and arrival.
std::size_t count_before(const Group& group, const Pending& session);

// The same by present ranks. REQUIRES: the group has ranked lanes.
std::size_t count_before_ranked(const Model& model, Group& group, const Pending& session);

// All pending sessions but reserved ones, by lane and arrival; sessions with a wait cause too.
std::vector<PendingIndex> by_arrival(const Group& group);
// The same in the order in which a pass considers them: by present ranks where the group has them.
std::vector<PendingIndex> in_order(const Model& model, const Group& group);

}  // namespace berth::placement
