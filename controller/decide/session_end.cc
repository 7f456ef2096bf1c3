#include "controller/decide/session_end.h"

#include "events/codec/words/codes.h"

namespace berth::controller {

using projections::SessionRow;

void end_session(const DecisionContext& c, const SessionRow& session, Code reason, bool forced,
                 EventList& events) {
  v1::Event& e = events.add(c.stamp);
  if (projections::is_waiting(session.status)) {
    e.mutable_session_cancelled()->set_session_id(std::string(session.id.view()));
    e.mutable_session_cancelled()->set_reason(wire(reason));
    return;
  }
  auto* terminating = e.mutable_session_terminating();
  terminating->set_session_id(std::string(session.id.view()));
  terminating->set_reason(wire(reason));
  terminating->set_forced(forced);
}

}  // namespace berth::controller
