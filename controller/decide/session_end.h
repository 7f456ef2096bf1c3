// How a session ends by decision: a waiting one is cancelled, one that holds slots is told to stop.
#pragma once

#include "controller/decide/context.h"

namespace berth::controller {

inline constexpr std::size_t kEndReasonMax = 128;  // bytes, of a reason that somebody gives

// REQUIRES: it has not ended.
void end_session(const DecisionContext& c, const projections::SessionRow& session, const std::string& reason,
                 bool forced, EventList& events);

}  // namespace berth::controller
