// Why does a session wait? Its recorded reason (P19) with the amounts as of now, from the durable state
// alone.
#pragma once

#include "controller/api/api_context.h"
#include "projections/tables/state.h"

namespace berth::controller {

// Pure. `code` is empty when nothing keeps it waiting; unknown sessions give an empty explanation. Of a
// RESERVED session it says who makes room for it; of one that was preempted, and does not run again yet, for
// whom: by name, if the asker sees that one. Where it stands in the queue, and who blocks it there, the
// scheduler knows (explainer.h).
Explanation explain_waiting(const projections::State& state, const SessionId& session,
                            const SeesSession& sees);
// Of a session that need not be in the state. `also`: what counts under its limits beside what the state
// knows.
Explanation explain_waiting(const projections::State& state, const projections::SessionRow& session,
                            const projections::UsageBook* also = nullptr);

}  // namespace berth::controller
