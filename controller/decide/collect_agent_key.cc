
#include "controller/decide/decide.h"
#include "controller/decide/unknown_agent.h"

namespace berth::controller {

Decision decide(const DecisionContext& c, const v1::CollectAgentKey& body) {
  const projections::AgentRow* agent = c.state.agents.find(body.agent());
  if (agent == nullptr) return unknown_agent(body.agent());
  const bool right = agent->token_hash != Hash128{} && body.token_hash() == as_view(agent->token_hash);
  if (!right || c.now > agent->token_expires)
    return Refusal{"token-not-valid",
                   "the token is not agent " + body.agent() + "'s, was used, or is too old",
                   "berth agent token " + body.agent() + " makes a new one"};
  EventList events;
  v1::Event& e = events.add(c.stamp);
  e.mutable_agent_key_collected()->set_agent(body.agent());
  e.mutable_agent_key_collected()->set_generation(agent->generation);
  return events;
}

}  // namespace berth::controller
