// Refuses a session whose later placement could make a record or an order above its bound. That is checked
// when the session is asked for: a placement has nobody to refuse to (P4). Pure.
#pragma once

#include <optional>

#include "events/base/refusal.h"
#include "projections/tables/state.h"

namespace berth::controller {

// Code: request-too-large, where the record that places the session, or the order that starts all of it on
// one agent, could pass its bound. Looks at the agents that the group has now. `environment`: bytes of the
// sealed one, which each kernel's order carries. REQUIRES: complete (session_spec.h) and admitted otherwise.
std::optional<Refusal> check_placement_size(const projections::State& state, const v1::SessionSpec& spec,
                                            std::size_t environment);

}  // namespace berth::controller
