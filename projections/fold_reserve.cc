// A place held for a session for which others are preempted.
#include "projections/event_context.h"

namespace berth::projections {

Forbidden apply(EventContext&, const v1::SessionReserved&) { return "not folded yet"; }

Forbidden apply(EventContext&, const v1::SessionUnreserved&) { return "not folded yet"; }

}  // namespace berth::projections
