// The second net of epochs of rules 1 to 3, frozen: what these epochs' records were held to, business rules
// included. A record of theirs is void or applied for ever as it was then (P15), so nothing here changes when
// a rule of decide does. Newer epochs: net.h.
#pragma once

#include "projections/fold/fold.h"

namespace berth::projections::net_v3 {

Forbidden check_request(const State& state, const SessionId& id, const v1::SessionRequested& e);
Forbidden check_limit(const State& state, const v1::LimitSet& limit);
Forbidden check_preemption(const SessionRow& victim, const SessionRow& preemptor);

}  // namespace berth::projections::net_v3
