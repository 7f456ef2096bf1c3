// Order `backfill`: the first session that does not fit (the head) gets a HeadReservation, and sessions
// behind the head start only where they do not delay it.
//
// The reservation is the earliest time, and the place at that time, at which the head fits if every live
// session ends as declared. A session without a declared end never ends: where the head needs its slots, the
// time is kNeverEnds and the place is the one on agents from which all live sessions have gone. A session
// behind the head starts if its own declared end comes before that time, or if it fits beside the
// reservation, device by device. It never joins a session group that the head is strict about. So the head
// never starts later than it would have without these sessions. A live session that ends before that time is
// no member of a session group at that time.
#pragma once

#include "controller/placement/model/head_reservation.h"
#include "controller/placement/model/model.h"
#include "controller/placement/pass/gang.h"

namespace berth::placement {

// Computes the head's reservation, unless the group has one that still holds. False if the head would not fit
// even when all live sessions have ended: no session can delay it. Costs the live sessions that end before
// that time, times O(log agents).
bool reserve_head(Model& model, Group& group, PendingIndex head);

// True if the session ends, as declared, before the head is to start, and may run until then.
bool over_in_time(const Model& model, const Group& group, const Pending& session);

// As try_session(), for a session behind a head with a reservation: kBehindHead if the session would delay
// the head.
Reason try_behind(Model& model, Group& group, PendingIndex session, Places* places);

}  // namespace berth::placement
