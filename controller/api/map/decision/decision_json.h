// A past decision of the scheduler as JSON. Pure.
#pragma once

#include <boost/json.hpp>

#include "controller/answers/decision/decision_types.h"
#include "controller/api/map/slot_amounts.h"

namespace berth::controller::api {

boost::json::object decision_to_json(const SlotKinds& kinds, const RecordedDecision& recorded,
                                     const PassRecord& began, const PastDecision& decision);

}  // namespace berth::controller::api
