// Filters and tiers of the plain scheduler: failed_on, designated agents, session groups. Beside plain.h, as plain.
// clang-format off: read it as one piece.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "controller/scheduler/types.h"

namespace berth::scheduler::testing {

using PlainTier = std::tuple<bool, bool, std::int64_t>;  // failed lately, not designated, members as the rule has it

struct PlainChoice {
  std::map<SessionId, std::string> group_of;             // every session that was ever asked for
  std::set<std::pair<std::string, SessionId>> standing;  // agent, session: at the start of the decision

  std::int64_t members(const std::string& group, const std::string& agent) const {
    return std::count_if(standing.begin(), standing.end(),
                         [&](const auto& s) { return s.first == agent && group_of.at(s.second) == group; });
  }
  static bool designated(const PendingSpec& session, const std::string& agent) {
    const auto& wanted = session.designated.agents;
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), agent) != wanted.end();
  }

  Code filtered(const PendingSpec& session, const std::string& agent) const {
    const SessionGroup& group = session.session_group;
    if (session.designated.strict && !designated(session, agent)) return Code::kDesignatedAgent;
    if (group.name.empty() || !group.strict) return Code::kNone;
    const bool member_here = members(group.name, agent) > 0;
    const bool member_anywhere =
        std::any_of(standing.begin(), standing.end(), [&](const auto& s) { return group_of.at(s.second) == group.name; });
    if (group.rule == GroupRule::kSpread && member_here) return Code::kSessionGroup;
    if (group.rule == GroupRule::kPack && member_anywhere && !member_here) return Code::kSessionGroup;
    return Code::kNone;
  }

  PlainTier tier(const PendingSpec& session, const std::string& agent, Timestamp now) const {
    const SessionGroup& group = session.session_group;
    const bool failed = std::any_of(session.failed_on.begin(), session.failed_on.end(),
                                    [&](const FailedOn& f) { return f.agent == agent && f.until > now; });
    std::int64_t members_here = group.name.empty() ? 0 : members(group.name, agent);
    if (group.rule == GroupRule::kPack) members_here = -members_here;
    if (group.rule == GroupRule::kNone) members_here = 0;
    return {failed, !designated(session, agent), members_here};
  }
};

}  // namespace berth::scheduler::testing
