// Order `backfill`: the first session that does not fit gets a reservation, and others start only where they
// do not delay it.
//
// The reservation is the earliest time, and the place there, at which the head fits if every live session
// ends when it declared to; one that declared nothing never ends. When even that is not enough, the place is
// the one it has once all have ended, and the time is kNeverEnds. A session behind the head starts if it is
// over by then, by its own declared end, or if it fits beside what is reserved, device by device; nobody
// joins a session group that the head is strict about. So the head never starts later than it would have
// without them. Who has ended by then is no member of a session group any more.
#pragma once

#include "controller/placement/model/head_reservation.h"
#include "controller/placement/model/model.h"
#include "controller/placement/pass/gang.h"

namespace berth::placement {

// Works out the head's reservation, unless the group has one that still holds. False when the head would not
// fit even if all had ended: nobody can delay it. Costs the live sessions that end before that time, times
// O(log agents).
bool reserve_head(Model& model, Group& group, PendingIndex head);

// Whether it is over, by its own declared end, when the head is to start, and may be there until then.
bool over_in_time(const Model& model, const Group& group, const Pending& session);

// As try_session(), for a session behind the head that has the reservation: kBehindHead when it would delay
// it.
Reason try_behind(Model& model, Group& group, PendingIndex session, Places* places);

}  // namespace berth::placement
