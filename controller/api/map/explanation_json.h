// Answers about sessions that wait, or would wait, as JSON. Pure.
#pragma once

#include <boost/json.hpp>

#include "controller/answers/types.h"
#include "controller/api/map/session_lookup.h"
#include "controller/api/map/slot_amounts.h"

namespace berth::controller::api {

boost::json::object explanation_to_json(const SlotKinds& kinds, const Explanation& why);
boost::json::value estimate_to_json(const StartEstimate& start);
// REQUIRES: no refusal.
boost::json::object dry_run_to_json(const SlotKinds& kinds, const DryRunAnswer& answer);

// Which sessions an answer to this actor may name.
SeesSession sees_of(const projections::State& state, const projections::Actor& actor);

}  // namespace berth::controller::api
