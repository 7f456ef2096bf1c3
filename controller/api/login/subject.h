// The user whom a call is about, if the caller may do that.
#pragma once

#include <optional>
#include <string>

#include "controller/api/routes/user_in_group.h"
#include "projections/rights.h"

namespace berth::controller::api {

// Codes: unknown-user (also of one whom the caller does not see), denied.
inline std::optional<Problem> check_subject(const projections::State& state, const Caller& caller,
                                            const std::string& user, projections::Noun noun,
                                            projections::Verb verb) {
  if (auto missing = missing_user(state, caller, user)) return missing;
  const auto* row = state.users.find(user);
  if (row != nullptr && may(actor_of(state, caller), noun, verb, row->def)) return std::nullopt;
  return make_problem("denied", "you may not do this to user '" + user + "'");
}

// The same where the user's role may be above the caller's: it is denied.
inline std::optional<Problem> check_managed_subject(const projections::State& state, const Caller& caller,
                                                    const std::string& user, projections::Noun noun,
                                                    projections::Verb verb) {
  if (auto problem = check_subject(state, caller, user, noun, verb)) return problem;
  const auto* row = state.users.find(user);
  if (user == caller.user || may_manage_role(actor_of(state, caller), row->def.role())) return std::nullopt;
  return make_problem("denied", "the role of user '" + user + "' is above yours");
}

}  // namespace berth::controller::api
