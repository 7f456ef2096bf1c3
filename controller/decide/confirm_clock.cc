#include "controller/decide/decide.h"

namespace berth::controller {

Decision decide(const DecisionContext& c, const v1::ConfirmClock&) {
  EventList events;
  v1::Event& e = events.add(c.stamp);
  e.mutable_clock_confirmed()->set_wall_ns(c.now);
  return events;
}

}  // namespace berth::controller
