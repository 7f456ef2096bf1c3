// What the passing of time does: deadlines, lost leases, and what follows from an end.
#include "controller/decide/decide.h"
#include "controller/decide/folders/volume_agent.h"
#include "controller/decide/session_end.h"

namespace berth::controller {

using projections::AgentRow;
using projections::SessionRow;

namespace {

EventList ended(const DecisionContext& c, const SessionRow& session, Code reason) {
  EventList events;
  end_session(c, session, reason, false, events);
  return events;
}

}  // namespace

EventList fire_timer(const DecisionContext& c, const projections::Timer& timer) {
  const SessionRow* session = c.state.sessions.find(timer.session);
  if (session == nullptr) return {};
  switch (timer.kind) {
    case projections::TimerKind::kPendingTimeout:
      return ended(c, *session, projections::end_reason::kPendingTimeout);
    case projections::TimerKind::kBatchTimeout:
      return ended(c, *session, projections::end_reason::kBatchTimeout);
  }
  return {};
}

EventList cancel_dependent(const DecisionContext& c, const SessionRow& session) {
  return ended(c, session, projections::end_reason::kDependencyFailed);
}

EventList lose_agent(const DecisionContext& c, const AgentRow& agent) {
  EventList events;
  auto* lost = events.add(c.stamp).mutable_agent_lost();
  lost->set_agent(agent.name);
  lost->set_incarnation(std::string(agent.incarnation.view()));
  name_volume_agents_without(c, agent.name, events);
  return events;
}

}  // namespace berth::controller
