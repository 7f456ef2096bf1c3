#include <algorithm>

#include "controller/decide/decide.h"
#include "controller/decide/name_retired.h"
#include "events/base/generation.h"
#include "events/base/wire_time.h"

namespace berth::controller {

Decision decide(const DecisionContext& c, const v1::EnrollAgent& body) {
  if (!is_valid_name(body.agent()))
    return Refusal{"invalid-name", "the agent has no valid name", "letters, digits, - _ ."};
  if (auto retired = check_not_retired(c.state, v1::DEFINITION_KIND_AGENT, body.agent())) return *retired;
  if (!body.token_hash().empty() && body.token_hash().size() != sizeof(Hash128))
    return Refusal{"invalid-spec", "the hash of a token has 16 bytes", ""};
  const auto* known = c.state.agents.find(body.agent());
  const std::uint32_t last = known != nullptr ? known->generation : 0, next = last + 1;
  if (std::max(last, body.generation()) >= kGenerationEnd)
    return Refusal{"invalid-generation", "a key's generation is below " + std::to_string(kGenerationEnd),
                   "leave it out to take the next one"};
  if (body.generation() != 0 && body.generation() < next)
    return Refusal{"generation-too-old",
                   "agent " + body.agent() + " has a key of generation " + std::to_string(next - 1),
                   "enroll with a newer one"};
  EventList events;
  v1::Event& e = events.add(c.stamp);
  e.mutable_agent_enrolled()->set_agent(body.agent());
  e.mutable_agent_enrolled()->set_generation(std::max(next, body.generation()));
  e.mutable_agent_enrolled()->set_token_hash(body.token_hash());
  if (!body.token_hash().empty())
    e.mutable_agent_enrolled()->set_token_expires_ns(from_wire_ms(body.token_expires_ms()));
  return events;
}

}  // namespace berth::controller
