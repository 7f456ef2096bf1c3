#include <algorithm>

#include "events/base/wire_time.h"
#include "projections/fold/event_context.h"
#include "projections/fold/net.h"

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
  row.unfit = e.unfit();
  row.lease_ms = e.lease_ms();
  row.boot_id = Uuid::from_bytes(e.boot_id()).value_or(Uuid{});
}

// A volume that is told twice, or has no name, is the agent's mistake: a join is a fact and not refused.
void copy_volumes(State& state, AgentRow& row, const v1::AgentJoined& e) {
  row.volumes.clear();
  for (const auto& volume : e.volumes()) {
    const auto id = Uuid::from_bytes(volume.id());
    if (!id || id->is_nil() || volume.name().empty() || row.has(VolumeId(*id))) continue;
    row.volumes.push_back({VolumeId(*id), volume.name()});
    const VolumeRow* known = state.volumes.find(VolumeId(*id));
    state.volumes.put({VolumeId(*id), volume.name(), known != nullptr ? known->agent : std::string()});
  }
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
  if (c.state.is_retired(v1::DEFINITION_KIND_AGENT, e.agent())) return net::kRetired;
  if (!e.token_hash().empty() && e.token_hash().size() != sizeof(Hash128))
    return "a token's hash has 16 bytes";
  AgentRow row = known != nullptr ? *known : AgentRow{};
  row.name = e.agent();
  row.generation = e.generation();
  row.token_hash = {};
  std::copy(e.token_hash().begin(), e.token_hash().end(), row.token_hash.begin());
  row.token_expires = e.token_expires_ns();
  c.state.agents.put(std::move(row));
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

Forbidden apply(EventContext& c, const v1::AgentJoined& e) {
  const AgentRow* known = c.state.agents.find(e.agent());
  if (known == nullptr) return "agent " + e.agent() + " is not enrolled";
  const auto incarnation = Uuid::from_bytes(e.incarnation());
  const auto nonce = Uuid::from_bytes(e.nonce());
  if (!incarnation || incarnation->is_nil() || !nonce || nonce->is_nil())
    return "a join without incarnation or nonce";
  if (c.state.joins.find(JoinRow::make_key(e.agent(), *nonce)) != nullptr)
    return "a join that was read before";
  if (from_wire_ms(e.sent_ms()) + kJoinKeptFor < c.time) return "a join that was sent more than a day ago";
  c.state.joins.put({e.agent(), *nonce, c.time});
  AgentRow row = *known;
  row.state = AgentState::kAlive;
  row.gone_at = 0;
  row.fenced = false;
  row.incarnation = *incarnation;
  row.nonce = *nonce;
  row.joined_at = c.time;
  row.joined = c.position;
  copy_join(row, e);
  copy_volumes(c.state, row, e);
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
  row.gone_at = c.time;
  c.state.agents.put(std::move(row));
  return {};
}

Forbidden apply(EventContext& c, const v1::AgentLeft& e) {
  const AgentRow* known = current(c.state, e.agent(), e.incarnation());
  if (known == nullptr || known->state != AgentState::kAlive)
    return "agent " + e.agent() + " is not alive in that incarnation";
  AgentRow row = *known;
  row.state = AgentState::kLeft;
  row.gone_at = c.time;
  c.state.agents.put(std::move(row));
  return {};
}

// Its incarnation is over: what it still reports of it is heard as ends only.
Forbidden apply(EventContext& c, const v1::AgentFenced& e) {
  const AgentRow* known = c.state.agents.find(e.agent());
  if (known == nullptr) return "no agent is named " + e.agent();
  AgentRow row = *known;
  if (row.state == AgentState::kAlive) row.gone_at = c.time;
  row.state = AgentState::kLost;
  row.fenced = true;
  c.state.agents.put(std::move(row));
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

Forbidden apply(EventContext& c, const v1::AgentDrainChanged& e) {
  const AgentRow* known = c.state.agents.find(e.agent());
  if (known == nullptr) return "no agent is named " + e.agent();
  AgentRow row = *known;
  row.draining = e.draining();
  c.state.agents.put(std::move(row));
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

Forbidden apply(EventContext& c, const v1::AgentKeyCollected& e) {
  const AgentRow* known = c.state.agents.find(e.agent());
  if (known == nullptr || known->generation != e.generation() || known->token_hash == Hash128{})
    return "agent " + e.agent() + " has no token for a key of that generation";
  AgentRow row = *known;
  row.token_hash = {};
  row.token_expires = 0;
  c.state.agents.put(std::move(row));
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

Forbidden apply(EventContext& c, const v1::AgentRemoved& e) {
  const AgentRow* known = c.state.agents.find(e.agent());
  if (known == nullptr) return "no agent is named " + e.agent();
  if (known->state == AgentState::kAlive) return "agent " + e.agent() + " is alive";
  if (!c.state.kernels_on(e.agent()).empty()) return "agent " + e.agent() + " has kernels";
  c.state.agents.erase(e.agent());
  c.state.order_cursors.erase(e.agent());
  c.state.unreachable.erase(e.agent());
  forget_volume_agent(c.state, e.agent());
  c.state.retired.put({RetiredRow::make_key(v1::DEFINITION_KIND_AGENT, e.agent())});
  note_answer(c, AnswerKind::kAccepted);
  return {};
}

}  // namespace berth::projections
