// How a session ends by decision: a waiting one is cancelled, one that holds slots is told to stop.
#pragma once

#include "controller/decide/context.h"

namespace berth::controller {

// REQUIRES: it has not ended.
void end_session(const DecisionContext& c, const projections::SessionRow& session, Code reason, bool forced,
                 EventList& events);

}  // namespace berth::controller
