// What selections by fragmentation learned of a group's requests.
#include "projections/event_context.h"

namespace berth::projections {

Forbidden apply(EventContext&, const v1::SelectionLearned&) { return "not folded yet"; }

}  // namespace berth::projections
