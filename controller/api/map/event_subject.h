// Whose an event is, for the table of rights. A type of event without a rule is the cluster's. Pure.
#pragma once

#include "events/schema/v1/event.pb.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

// A user's thing, a project or a domain; without any of them it is for whoever reaches all alone. `state`: as
// the event left it, or newer; what has left it meanwhile is nobody's.
v1::Owner subject_of(const projections::State& state, const v1::Event& event);

}  // namespace berth::controller::api
