// What operators ask about agents, the clock and the quarantine.
#include "controller/decide/decide.h"

namespace berth::controller {
namespace {

Refusal unknown_agent(const std::string& name) {
  return {"unknown-agent", "no agent is named '" + name.substr(0, 80) + "'", "berth agent ls"};
}

}  // namespace

std::optional<Refusal> decide(DecisionContext& c, const v1::FenceAgent& body) {
  if (c.state.agents.find(body.agent()) == nullptr) return unknown_agent(body.agent());
  v1::Event e = c.event();
  e.mutable_agent_fenced()->set_agent(body.agent());
  c.emit(std::move(e));
  return std::nullopt;
}

std::optional<Refusal> decide(DecisionContext& c, const v1::DrainAgent& body) {
  if (c.state.agents.find(body.agent()) == nullptr) return unknown_agent(body.agent());
  v1::Event e = c.event();
  e.mutable_agent_drain_changed()->set_agent(body.agent());
  e.mutable_agent_drain_changed()->set_draining(body.draining());
  c.emit(std::move(e));
  return std::nullopt;
}

std::optional<Refusal> decide(DecisionContext& c, const v1::EnrollAgent& body) {
  if (!is_valid_name(body.agent()))
    return Refusal{"invalid-name", "the agent has no valid name", "letters, digits, - _ ."};
  const auto* known = c.state.agents.find(body.agent());
  const std::uint32_t next = known != nullptr ? known->generation + 1 : 1;
  if (body.generation() != 0 && body.generation() < next)
    return Refusal{"generation-too-old",
                   "agent " + body.agent() + " has a key of generation " + std::to_string(next - 1),
                   "enroll with a newer one"};
  v1::Event e = c.event();
  e.mutable_agent_enrolled()->set_agent(body.agent());
  e.mutable_agent_enrolled()->set_generation(std::max(next, body.generation()));
  c.emit(std::move(e));
  return std::nullopt;
}

std::optional<Refusal> decide(DecisionContext& c, const v1::ConfirmClock&) {
  v1::Event e = c.event();
  e.mutable_clock_confirmed()->set_wall_ns(c.now);
  c.emit(std::move(e));
  return std::nullopt;
}

std::optional<Refusal> decide(DecisionContext& c, const v1::ReleaseQuarantine& body) {
  if (c.state.quarantine.find(body.subject()) == nullptr)
    return Refusal{"unknown-subject",
                   "nothing in quarantine is named '" + body.subject().substr(0, 120) + "'", ""};
  v1::Event e = c.event();
  e.mutable_quarantine_released()->set_subject(body.subject());
  c.emit(std::move(e));
  return std::nullopt;
}

}  // namespace berth::controller
