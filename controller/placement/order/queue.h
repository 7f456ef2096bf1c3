// Who waits, in the order of the group: lanes (priority bands, each with a part for the demoted), and in a
// lane a queue a class.
#pragma once

#include "controller/placement/model/model.h"

namespace berth::placement {

// Whether so many refusals send a session behind its band (skip-after-n, n > 0).
bool demoted(const Group& group, std::uint32_t retries);
LaneKey lane_of(const Pending& session);
QueueKey key_of(const Group& group, const Pending& session);

// Into and out of its lane, or the held ones. REQUIRES (enqueue): it waits in no lane. (dequeue): it does,
// under the values it has now. Nothing is done for a reserved one, which stands in none.
void enqueue(Model& model, PendingIndex session);
void dequeue(Model& model, PendingIndex session);

// Whether the class is known to fit now, but not beside the reservation.
bool known_behind(const Group& group, const SessionClass& session_class);

// Whether a head that blocks stands before it.
bool is_behind_head(const Model& model, const Group& group, const Pending& session);

// How many of those that wait (held ones too) stand before it, by lane and arrival.
std::size_t count_before(const Group& group, const Pending& session);

// The same by the ranks of now, in a group that has them.
std::size_t count_before_ranked(const Model& model, Group& group, const Pending& session);

// All that wait, held ones too, by lane and arrival.
std::vector<PendingIndex> by_arrival(const Group& group);
// In the order in which a pass considers them, by the ranks of now where those count.
std::vector<PendingIndex> in_order(const Model& model, const Group& group);

}  // namespace berth::placement
