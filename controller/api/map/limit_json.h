// Limits between JSON and LimitSet, and what is used of them now. Pure; callers of limit_to_json hold the
// state's lock.
#pragma once

#include <boost/json.hpp>

#include "controller/api/map/problem.h"
#include "controller/api/map/slot_amounts.h"
#include "events/schema/v1/event.pb.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

// {"slots": {"cpu": "10", "mem": null}, "unlisted": "unlimited", "sessions": 5, ...}: absent and null are
// unlimited, 0 blocks.
v1::LimitSet read_limit(const boost::json::object& body, const SlotKinds& kinds, const std::string& scope,
                        const std::string& id, Errors& errors);

// With "using": the same names as the limits, of what is held and waits now.
boost::json::object limit_to_json(const projections::State& state, const SlotKinds& kinds,
                                  const v1::LimitSet& limit);

}  // namespace berth::controller::api
