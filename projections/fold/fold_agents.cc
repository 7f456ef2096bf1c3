#include "projections/fold/event_context.h"

namespace berth::projections {
namespace {

std::vector<SlotAmount> slots_of(const google::protobuf::RepeatedPtrField<v1::SlotAmount>& slots) {
  std::vector<SlotAmount> out;
  for (const auto& slot : slots) out.push_back({slot.slot(), slot.amount()});
  return out;
}

void copy_join(AgentRow& row, const v1::AgentJoined& e) {
  row.group = e.group();
  row.architecture = e.architecture();
  row.slots = slots_of(e.slots());
  row.devices.clear();
  for (const auto& d : e.devices()) row.devices.push_back({d.id(), d.model(), slots_of(d.slots()), d.numa()});
  row.backend = e.backend();
  row.max_containers = e.max_containers();
  row.version = e.version();
  row.address = e.address();
}

// The agent's row, if this incarnation is its current one.
const AgentRow* current(const State& state, const std::string& name, const std::string& incarnation) {
  const AgentRow* row = state.agents.find(name);
  return row != nullptr && row->incarnation.view() == incarnation ? row : nullptr;
}

}  // namespace

Forbidden apply(EventContext& c, const v1::AgentEnrolled& e) {
  if (e.agent().empty()) return "an agent without a name";
  const AgentRow* known = c.state.agents.find(e.agent());
  if (known != nullptr && e.generation() <= known->generation) return "a key generation never falls";
  AgentRow row = known != nullptr ? *known : AgentRow{};
  row.name = e.agent();
  row.generation = e.generation();
  c.state.agents.put(std::move(row));
  note_answer(c, AnswerKind::kAccepted, {}, nullptr);
  return {};
}

Forbidden apply(EventContext& c, const v1::AgentJoined& e) {
  const AgentRow* known = c.state.agents.find(e.agent());
  if (known == nullptr) return "agent " + e.agent() + " is not enrolled";
  const auto incarnation = Uuid::from_bytes(e.incarnation());
  const auto nonce = Uuid::from_bytes(e.nonce());
  if (!incarnation || incarnation->is_nil() || !nonce || nonce->is_nil())
    return "a join without incarnation or nonce";
  AgentRow row = *known;
  row.state = AgentState::kAlive;
  row.fenced = false;
  row.incarnation = *incarnation;
  row.nonce = *nonce;
  row.joined_at = c.time;
  row.joined = c.position;
  copy_join(row, e);
  c.state.agents.put(std::move(row));
  c.order_to(e.agent(), true);
  return {};
}

Forbidden apply(EventContext& c, const v1::AgentLost& e) {
  const AgentRow* known = current(c.state, e.agent(), e.incarnation());
  if (known == nullptr || known->state != AgentState::kAlive)
    return "agent " + e.agent() + " is not alive in that incarnation";
  AgentRow row = *known;
  row.state = AgentState::kLost;
  c.state.agents.put(std::move(row));
  return {};
}

Forbidden apply(EventContext& c, const v1::AgentLeft& e) {
  const AgentRow* known = current(c.state, e.agent(), e.incarnation());
  if (known == nullptr || known->state != AgentState::kAlive)
    return "agent " + e.agent() + " is not alive in that incarnation";
  AgentRow row = *known;
  row.state = AgentState::kLeft;
  c.state.agents.put(std::move(row));
  return {};
}

// Its incarnation is over: what it still reports of it is heard as ends only.
Forbidden apply(EventContext& c, const v1::AgentFenced& e) {
  const AgentRow* known = c.state.agents.find(e.agent());
  if (known == nullptr) return "no agent is named " + e.agent();
  AgentRow row = *known;
  row.state = AgentState::kLost;
  row.fenced = true;
  c.state.agents.put(std::move(row));
  note_answer(c, AnswerKind::kAccepted, {}, nullptr);
  return {};
}

Forbidden apply(EventContext& c, const v1::AgentDrainChanged& e) {
  const AgentRow* known = c.state.agents.find(e.agent());
  if (known == nullptr) return "no agent is named " + e.agent();
  AgentRow row = *known;
  row.draining = e.draining();
  c.state.agents.put(std::move(row));
  note_answer(c, AnswerKind::kAccepted, {}, nullptr);
  return {};
}

}  // namespace berth::projections
