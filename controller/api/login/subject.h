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

}  // namespace berth::controller::api
