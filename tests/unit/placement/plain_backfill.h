// The plain scheduler's reservation for the head of order backfill: the earliest time, and the place there,
// at which it fits if all who live end when they declared to (never, if they did not); places held for
// reserved sessions stay held. Who comes after the head starts if it is over by then, or if there is room for
// it beside what will be held then; nobody who joins a session group that the head is strict about.
//
// It holds until anything changes but by those who started after the head (beside it: they count as held
// then, too).
#pragma once

#include <cstdint>

#include "tests/unit/placement/plain_select.h"

namespace berth::placement::testing {

struct PlainHead {
  SessionId id;
  Timestamp at = kNeverEnds;
  PlainPlace later;  // all that will be held then, the head's place with it
};

// nullopt: it would not fit even if all had ended; then it is no head.
inline std::optional<PlainHead> plain_reserve(PlainBooks& books, const PendingSpec& session,
                                              std::uint64_t turn) {
  std::set<Timestamp> times;
  for (const PlainSession& s : books.sessions) {
    if (s.state == PlainState::kLive) times.insert(s.ends);
  }
  std::optional<PlainHead> head;
  for (const Timestamp at : times) {
    books.over_by = at;
    const PlainPlace place = plain_find(books, session, turn);
    if (place.empty()) continue;
    head = PlainHead{session.id, at, place};
    for (const PlainSession& s : books.sessions) {
      if (!books.is_over(s)) head->later.insert(head->later.end(), s.place.begin(), s.place.end());
    }
    break;
  }
  books.over_by = INT64_MIN;
  return head;
}

inline bool over_by_then(const PlainBooks& books, const PlainHead& head, const PendingSpec& session) {
  return session.timeout_s > 0 && books.now + session.timeout_s * kSecond <= head.at;
}

inline bool joins_strictly(const PendingSpec& session, const PendingSpec& head) {
  const SessionGroup& group = head.session_group;
  return group.strict && group.rule != GroupRule::kNone && !group.name.empty() &&
         group.name == session.session_group.name;
}

}  // namespace berth::placement::testing
