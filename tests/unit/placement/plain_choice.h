// Filters and tiers of the plain scheduler: failed_on, volumes, designated agents, session groups.
//
// Filters (they say no whatever is free): a volume that the agent does not have; strictly designated agents;
// a strict session group: spread wants an agent without a member, pack one with members, any while there are
// none. Tiers, each before the next: agents on which it did not fail lately; designated ones; spread fewest
// members, pack most. A member is another session of the group that is live: once an agent, from its
// placement to its end, so also one that has to leave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "tests/unit/placement/plain_books.h"

namespace berth::placement::testing {

using PlainTier =
    std::tuple<bool, bool, std::int64_t>;  // failed lately, not designated, members as the rule has it

inline std::int64_t members_at(const PlainBooks& books, const std::string& group, const std::string& agent) {
  return std::count_if(books.sessions.begin(), books.sessions.end(), [&](const PlainSession& s) {
    return s.state == PlainState::kLive && !books.is_over(s) && s.spec.session_group.name == group &&
           std::any_of(s.place.begin(), s.place.end(), [&](const PlainHold& h) { return h.agent == agent; });
  });
}
inline bool designated(const PendingSpec& session, const std::string& agent) {
  const auto& wanted = session.designated.agents;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), agent) != wanted.end();
}

inline Code filtered(const PlainBooks& books, const PendingSpec& session, const std::string& agent) {
  const SessionGroup& group = session.session_group;
  const auto& there = books.agents.at(agent).volumes;
  for (const std::string& volume : session.volumes)
    if (std::find(there.begin(), there.end(), volume) == there.end()) return Code::kNoVolume;
  if (session.designated.strict && !designated(session, agent)) return Code::kDesignatedAgent;
  if (group.name.empty() || !group.strict) return Code::kNone;
  const bool here = members_at(books, group.name, agent) > 0;
  bool anywhere = false;
  for (const auto& [id, spec] : books.agents) anywhere = anywhere || members_at(books, group.name, id) > 0;
  if (group.rule == GroupRule::kSpread && here) return Code::kSessionGroup;
  if (group.rule == GroupRule::kPack && anywhere && !here) return Code::kSessionGroup;
  return Code::kNone;
}

inline PlainTier tier_of(const PlainBooks& books, const PendingSpec& session, const std::string& agent) {
  const SessionGroup& group = session.session_group;
  const bool failed = std::any_of(session.failed_on.begin(), session.failed_on.end(),
                                  [&](const FailedOn& f) { return f.agent == agent && f.until > books.now; });
  std::int64_t members =
      group.name.empty() || group.rule == GroupRule::kNone ? 0 : members_at(books, group.name, agent);
  if (group.rule == GroupRule::kPack) members = -members;
  return {failed, !designated(session, agent), members};
}

}  // namespace berth::placement::testing
