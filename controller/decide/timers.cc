// What the passing of time does: deadlines, lost leases, and what follows from an end.
#include "controller/decide/decide.h"
#include "controller/decide/session_end.h"

namespace berth::controller {

using projections::AgentRow;
using projections::SessionRow;

EventList fire_timer(const DecisionContext& c, const projections::Timer& timer) {
  const SessionRow* session = c.state.sessions.find(timer.session);
  EventList events;
  if (session == nullptr) return events;
  const bool pending = timer.kind == projections::TimerKind::kPendingTimeout;
  end_session(c, *session,
              pending ? projections::end_reason::kPendingTimeout : projections::end_reason::kBatchTimeout,
              false, events);
  return events;
}

EventList cancel_dependent(const DecisionContext& c, const SessionRow& session) {
  EventList events;
  end_session(c, session, projections::end_reason::kDependencyFailed, false, events);
  return events;
}

EventList lose_agent(const DecisionContext& c, const AgentRow& agent) {
  EventList events;
  auto* lost = events.add(c.stamp).mutable_agent_lost();
  lost->set_agent(agent.name);
  lost->set_incarnation(std::string(agent.incarnation.view()));
  return events;
}

}  // namespace berth::controller
