// The plain scheduler's preemption (tests/BEHAVIOURS.md section 4): who has to go so that a session that was
// refused fits, and whether a place that is held has come free.
//
// Candidates: live, preemptible, no system session, not leaving yet, of a strictly lower job priority, in
// scope, have run min_runtime, not placed by this pass. Order: the lower job priority, then the oldest start
// (newest: the youngest); who has not started is youngest. Who is leaving counts as gone: if it fits then,
// nobody has to go, and it waits. If it does not fit without all candidates, nobody goes. Else each stays
// that can, the last in order first; fewest-sessions: the smallest set with which it fits, the first in
// order, of those whose job priority is no higher than who had to go has.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tests/unit/placement/plain_select.h"

namespace berth::placement::testing {

struct PlainPlan {
  std::vector<SessionId> victims;  // empty: nobody goes
  PlainPlace place;
};

class PlainPreemption {
 public:
  PlainPreemption(PlainBooks& books, const PendingSpec& session, std::uint64_t turn)
      : books_(books), session_(session), turn_(turn) {}

  PlainPlan plan(const std::set<SessionId>& placed) {
    if (!books_.policy.preemption.enabled || session_.system) return {};
    const std::vector<SessionId> all = candidates(placed);
    if (fits_without({}) || !fits_without(all)) return {};
    std::vector<SessionId> victims = all;
    for (std::size_t i = all.size(); i-- > 0;) {
      std::vector<SessionId> fewer = victims;
      std::erase(fewer, all[i]);
      if (fits_without(fewer)) victims = fewer;
    }
    const bool fewest = books_.policy.preemption.order == PreemptOrder::kFewestSessions;
    const auto highest = std::find(all.begin(), all.end(), victims.back());
    std::vector<SessionId> lower(all.begin(), std::find_if(highest, all.end(), [&](const SessionId& id) {
                                   return books_.find_session(id)->spec.job_priority >
                                          books_.find_session(*highest)->spec.job_priority;
                                 }));
    for (std::size_t size = 1; fewest && size < victims.size(); ++size) {
      if (const auto found = first_set(lower, 0, {}, size)) victims = *found;
    }
    fits_without(victims);
    return {victims, place_};
  }

 private:
  std::vector<SessionId> candidates(const std::set<SessionId>& placed) const {
    const PreemptionPolicy& policy = books_.policy.preemption;
    std::vector<std::tuple<std::int32_t, Timestamp, SessionId>> all;
    for (const PlainSession& s : books_.sessions) {
      if (s.state != PlainState::kLive || s.leaving || !s.spec.preemptible || s.spec.system) continue;
      if (s.spec.job_priority >= session_.job_priority || !in_scope(s.spec) || placed.contains(s.spec.id))
        continue;
      const bool started = s.started != LiveFacts::kNotStarted;
      if (policy.min_runtime > 0 && (!started || books_.now - s.started < policy.min_runtime)) continue;
      all.emplace_back(s.spec.job_priority, policy.order == PreemptOrder::kNewest ? -s.started : s.started,
                       s.spec.id);
    }
    std::sort(all.begin(), all.end());
    std::vector<SessionId> ids;
    for (const auto& [priority, start, id] : all) ids.push_back(id);
    return ids;
  }
  bool in_scope(const PendingSpec& other) const {
    switch (books_.policy.preemption.scope) {
      case PreemptScope::kUser: return other.user == session_.user;
      case PreemptScope::kProject:
        return other.domain == session_.domain && other.project == session_.project;
      case PreemptScope::kDomain: return other.domain == session_.domain;
      case PreemptScope::kResourceGroup: return true;
    }
    return false;
  }
  bool fits_without(const std::vector<SessionId>& gone) {
    books_.left.insert(gone.begin(), gone.end());
    for (const PlainSession& s : books_.sessions) {
      if (s.leaving) books_.left.insert(s.spec.id);
    }
    place_ = plain_find(books_, session_, turn_);
    books_.left.clear();
    return !place_.empty();
  }
  std::optional<std::vector<SessionId>> first_set(const std::vector<SessionId>& all, std::size_t from,
                                                  const std::vector<SessionId>& set, std::size_t size) {
    if (set.size() == size) return fits_without(set) ? std::optional(set) : std::nullopt;
    for (std::size_t i = from; i < all.size(); ++i) {
      std::vector<SessionId> more = set;
      more.push_back(all[i]);
      if (const auto found = first_set(all, i + 1, more, size)) return found;
    }
    return std::nullopt;
  }

  PlainBooks& books_;
  const PendingSpec& session_;
  std::uint64_t turn_;
  PlainPlace place_;
};

enum class PlainPlaceState { kTaken, kFree, kGone };

// A place is free when there is room for it beside what the live really hold, and gone when an agent of it
// takes nothing any more or will not have the room when all have left who are leaving.
inline PlainPlaceState plain_place_state(PlainBooks& books, const PlainPlace& place) {
  const auto has_room = [&](bool later) {
    for (const PlainSession& s : books.sessions) {
      if (s.state == PlainState::kReserved || (later && s.leaving)) books.left.insert(s.spec.id);
    }
    bool room = true;
    for (const PlainHold& h : place) {
      const AgentSpec& agent = books.agents.at(h.agent);
      const Amount wanted = amount_in(place, h.agent, h.device, h.slot);
      Amount free = 0;
      if (h.slot == kNoSlot) free = agent.max_containers - books.containers(agent);
      if (h.slot != kNoSlot && h.device == kItself)
        free = amount_of(agent.slots, h.slot) - amount_of(agent.used, h.slot) -
               books.used(h.agent, kItself, h.slot);
      for (const auto& [number, device] : books.devices(agent, h.slot)) {
        if (number == h.device) free = device.free;
      }
      room = room && wanted <= free;
    }
    books.left.clear();
    return room;
  };
  for (const PlainHold& h : place) {
    const AgentSpec& agent = books.agents.at(h.agent);
    if (!agent.schedulable || agent.draining) return PlainPlaceState::kGone;
  }
  return has_room(false)  ? PlainPlaceState::kFree
         : has_room(true) ? PlainPlaceState::kTaken
                          : PlainPlaceState::kGone;
}

}  // namespace berth::placement::testing
