// Limits between JSON and LimitSet, with the amounts in use. Pure; callers of limit_to_json hold the state's
// lock.
#pragma once

#include <boost/json.hpp>

#include "controller/api/map/problem.h"
#include "controller/api/map/slot_amounts.h"
#include "events/schema/v1/event.pb.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

// {"slots": {"cpu": "10", "mem": null}, "unlisted": "unlimited", "sessions": 5, ...}: absent and null mean
// unlimited, 0 blocks.
v1::LimitSet read_limit(const boost::json::object& body, const SlotKinds& kinds, v1::ScopeKind scope,
                        const std::string& id, Errors& errors);

// With "using": under the same names, the amounts that are held and that wait now.
boost::json::object limit_to_json(const projections::State& state, const SlotKinds& kinds,
                                  const v1::LimitSet& limit);

}  // namespace berth::controller::api
