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

#include "controller/scheduler/gang.h"
#include "controller/scheduler/model.h"

namespace berth::scheduler {

struct HeadPlace {
  SessionId head;
  Timestamp at = kNeverEnds;
  std::vector<KernelPlacement> kernels;  // empty: it would not fit even then
  // Agents of the place as they will be with the head in it, and with those that started beside it.
  struct Rest {
    AgentIndex agent = kNoAgent;
    std::vector<Cell> cells;
    std::uint32_t containers = 0;
  };
  std::vector<Rest> rests;
  std::uint64_t serial = 0;  // what SessionClass::behind means
  // Those before the head that would not fit even then. Remembered, so that a pass which goes on with a new
  // budget finds the same head and the same serial, instead of asking everybody behind it anew, for ever.
  std::vector<SessionId> hopeless;
  // The group's counters when it was worked out: it holds while they stand.
  std::uint64_t gains = 0;
  std::uint64_t losses = 0;
};

// Works out the head's reservation, unless the group has one that still holds. False when the head would not
// fit even if all had ended: nobody can delay it. Costs the live sessions that end before that time, times
// O(log agents).
bool reserve_head(Model& model, Group& group, PendingIndex head);

// Whether it is over, by its own declared end, when the head is to start, and may be there until then.
bool over_in_time(const Model& model, const Group& group, const Pending& session);
// Whether the class is known to fit now, but not beside the reservation.
bool known_behind(const Group& group, const SessionClass& session_class);

// As try_session(), for a session behind the head that has the reservation: kBehindHead when it would delay
// it.
Reason try_behind(Model& model, Group& group, PendingIndex session, Places* places);

// ---- declared ends of live sessions, kept in order for groups of this order ----

void set_end(Model& model, LiveIndex live, Timestamp ends);
void add_end(Model& model, LiveIndex live, GroupIndex group);     // a kernel of it holds slots there
void remove_end(Model& model, LiveIndex live, GroupIndex group);  // none does any more
void collect_ends(Model& model, GroupIndex group);                // anew: the group's order changed

}  // namespace berth::scheduler
