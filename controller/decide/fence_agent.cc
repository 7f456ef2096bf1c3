#include "controller/decide/decide.h"
#include "controller/decide/folders/volume_agent.h"
#include "controller/decide/unknown_agent.h"

namespace berth::controller {
namespace {

Refusal agent_alive(const std::string& agent, std::size_t kernels) {
  return {"agent-alive",
          "agent " + agent + " is alive; fencing it would lose " + std::to_string(kernels) +
              (kernels == 1 ? " kernel" : " kernels"),
          "stop it first; force=true (berth agent fence --force) fences it all the same"};
}

}  // namespace

Decision decide(const DecisionContext& c, const v1::FenceAgent& body) {
  const auto* agent = c.state.agents.find(body.agent());
  if (agent == nullptr) return unknown_agent(body.agent());
  if (agent->state == projections::AgentState::kAlive && !body.force())
    return agent_alive(body.agent(), c.state.kernels_on(body.agent()).size());
  EventList events;
  v1::Event& e = events.add(c.stamp);
  e.mutable_agent_fenced()->set_agent(body.agent());
  name_volume_agents_without(c, body.agent(), events);
  return events;
}

}  // namespace berth::controller
