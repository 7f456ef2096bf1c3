#include "controller/decide/decide.h"
#include "events/base/text.h"

namespace berth::controller {

Decision decide(const DecisionContext& c, const v1::ReleaseQuarantine& body) {
  if (c.state.quarantine.find(body.subject()) == nullptr)
    return Refusal{"unknown-subject", "nothing in quarantine is named '" + clipped(body.subject(), 120) + "'",
                   ""};
  EventList events;
  v1::Event& e = events.add(c.stamp);
  e.mutable_quarantine_released()->set_subject(body.subject());
  return events;
}

}  // namespace berth::controller
