#include "controller/decide/session_end.h"

namespace berth::controller {

using projections::SessionRow;

EventList cancel(const DecisionContext& c, const SessionRow& session, const std::string& reason) {
  EventList events;
  v1::Event& e = events.add(c.stamp);
  e.mutable_session_cancelled()->set_session_id(std::string(session.id.view()));
  e.mutable_session_cancelled()->set_reason(reason);
  return events;
}

EventList terminate(const DecisionContext& c, const SessionRow& session, const std::string& reason,
                    bool forced) {
  EventList events;
  v1::Event& e = events.add(c.stamp);
  auto* t = e.mutable_session_terminating();
  t->set_session_id(std::string(session.id.view()));
  t->set_reason(reason);
  t->set_forced(forced);
  return events;
}

}  // namespace berth::controller
