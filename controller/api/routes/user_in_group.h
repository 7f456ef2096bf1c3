// Replies about one user in one resource group (?group=, ?user=): the indicator, and the presets that fit.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "controller/api/routes/call.h"

namespace berth::controller::api {

// Of ?group=: nothing if it is defined, or none is named; else 404 unknown-group, rather than an empty list.
std::optional<Problem> missing_group(const projections::State& state, const std::string& group);

// `add(view, user, group, body)` adds to a body that names group, user and position. A caller who may not see
// all users asks only about their own. An unknown group is 404.
void reply_for_user_in_group(
    const Services& services, const CallPtr& call, const Reply& reply,
    const std::function<void(const StateView& view, const std::string& user, const std::string& group,
                             boost::json::object& body)>& add);

}  // namespace berth::controller::api
