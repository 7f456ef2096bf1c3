// Why does a session wait? Its recorded reason (P19) with the amounts as of now, from the durable state alone.
#pragma once

#include "controller/api/api_context.h"
#include "projections/state.h"

namespace berth::controller {

// Pure. `code` is empty when nothing keeps it waiting; unknown sessions give an empty explanation.
Explanation explain_waiting(const projections::State& state, const SessionId& session);

}  // namespace berth::controller
