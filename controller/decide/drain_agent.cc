#include "controller/decide/decide.h"
#include "controller/decide/unknown_agent.h"

namespace berth::controller {

Decision decide(const DecisionContext& c, const v1::DrainAgent& body) {
  if (c.state.agents.find(body.agent()) == nullptr) return unknown_agent(body.agent());
  EventList events;
  v1::Event& e = events.add(c.stamp);
  e.mutable_agent_drain_changed()->set_agent(body.agent());
  e.mutable_agent_drain_changed()->set_draining(body.draining());
  return events;
}

}  // namespace berth::controller
