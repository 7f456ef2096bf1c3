// How a session ends by decision: a waiting one is cancelled, one that holds slots is told to stop.
#pragma once

#include "controller/decide/context.h"

namespace berth::controller {

EventList cancel(const DecisionContext& c, const projections::SessionRow& session, const std::string& reason);
EventList terminate(const DecisionContext& c, const projections::SessionRow& session,
                    const std::string& reason, bool forced);

}  // namespace berth::controller
