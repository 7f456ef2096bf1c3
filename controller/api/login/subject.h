// The user whom a call is about, if the caller may do that.
#pragma once

#include <optional>
#include <string>

#include "controller/api/routes/call.h"
#include "projections/rights.h"

namespace berth::controller::api {

// Codes: unknown-user (also of one whom the caller does not see), denied.
inline std::optional<Problem> check_subject(const projections::State& state, const Caller& caller,
                                            const std::string& user, projections::Noun noun,
                                            projections::Verb verb) {
  const projections::Actor actor = actor_of(state, caller);
  const auto* row = state.users.find(user);
  const bool seen = row != nullptr && (user == caller.user || may(actor, projections::Noun::kUser,
                                                                  projections::Verb::kSee, row->def));
  if (!seen)
    return make_problem("unknown-user", "there is no user '" + clipped(user) + "'",
                        "berth user ls lists them");
  if (may(actor, noun, verb, row->def)) return std::nullopt;
  return make_problem("denied", "you may not do this to user '" + user + "'");
}

}  // namespace berth::controller::api
