// Replies about one user in one resource group (?group=, ?user=): the indicator, and the presets that fit.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "controller/api/routes/call.h"

namespace berth::controller::api {

// Of ?group=: nothing if it is open to the caller, or none is named; else 404 unknown-group, rather than an
// empty list.
std::optional<Problem> missing_group(const projections::State& state, const Caller& caller,
                                     const std::string& group);
// Nothing if the caller may see the user; else 404 unknown-user.
std::optional<Problem> missing_user(const projections::State& state, const Caller& caller,
                                    const std::string& user);

// `add(view, user, group, body)` adds to a body that names group, user and position. A group or
// user that the caller may not see is 404.
void reply_for_user_in_group(
    const Services& services, const CallPtr& call, const Reply& reply,
    const std::function<void(const StateView& view, const std::string& user, const std::string& group,
                             boost::json::object& body)>& add);

}  // namespace berth::controller::api
