// Preemption: sessions that make room, and the place held for the session that they make room for. One record
// holds both (P4), victims first.
#include "projections/fold/event_context.h"

namespace berth::projections {
namespace {

const SessionRow* find_waiting(const State& state, const std::string& bytes, SessionStatus status) {
  const auto id = Uuid::from_bytes(bytes);
  const SessionRow* row = id ? state.sessions.find(SessionId(*id)) : nullptr;
  return row != nullptr && row->status == status ? row : nullptr;
}

KernelRow kernel_of(const SessionRow& session, const HeldPlace& place) {
  KernelRow row;
  row.role = place.role;
  row.index = place.index;
  row.agent = place.agent;
  row.devices = place.devices;
  row.spec = session.spec;
  row.owner = session.owner;
  return row;
}

// What is taken on the agent once all that leave have left: by sessions that stay, and by places held for
// others.
Occupancy after_departures(const State& state, const std::string& agent) {
  Occupancy use;
  for (const KernelId& id : state.kernels_on(agent)) {
    const KernelRow* kernel = state.kernels.find(id);
    if (!state.sessions.find(kernel->session)->is_leaving()) use.add(*kernel);
  }
  for (const SessionId& id : state.reserved()) {
    const SessionRow* session = state.sessions.find(id);
    for (const HeldPlace& place : session->places)
      if (place.agent == agent) use.add(kernel_of(*session, place));
  }
  return use;
}

// G11, G12: the place fits beside sessions that stay. It need not be free yet.
Forbidden hold(const EventContext& c, SessionRow& session, const v1::Placement& placement) {
  const State& state = c.state;
  KernelRow kernel;
  if (auto reason = make_kernel(session, placement, state.next_attempt(session), kernel); !reason.empty())
    return reason;
  const AgentRow* agent = state.agents.find(kernel.agent);
  if (agent == nullptr || agent->state != AgentState::kAlive)
    return "agent " + kernel.agent + " is not alive";
  for (const HeldPlace& place : session.places)
    if (place.role == kernel.role && place.index == kernel.index) return "a kernel has two places held";
  session.places.push_back({kernel.role, kernel.index, kernel.agent, kernel.devices});
  Occupancy use = after_departures(state, kernel.agent);
  for (const HeldPlace& place : session.places)
    if (place.agent == kernel.agent) use.add(kernel_of(session, place));
  if (auto over = over_capacity(use, *agent, kernel); !over.empty()) return "held beyond capacity: " + over;
  return {};
}

}  // namespace

Forbidden preempt(const EventContext& c, SessionRow& victim, const std::string& preemptor) {
  const SessionRow* session = find_waiting(c.state, preemptor, SessionStatus::kPending);
  if (session == nullptr) return "who preempts is not PENDING";
  if (is_end(victim.status) || victim.kernel_ids.empty() || victim.is_leaving())
    return "the session has no place to give";
  victim.preemptor = session->id;
  victim.preemptor_owner = session->owner;
  return {};
}

Forbidden apply(EventContext& c, const v1::SessionReserved& e) {
  const SessionRow* known = find_waiting(c.state, e.session_id(), SessionStatus::kPending);
  if (known == nullptr) return "the session is not PENDING";
  if (static_cast<std::uint32_t>(e.placements_size()) != kernel_count(known->spec->spec))
    return "not all kernels have a place held";
  SessionRow row = *known;
  for (const auto& placement : e.placements())
    if (auto reason = hold(c, row, placement); !reason.empty()) return reason;
  row.status = SessionStatus::kReserved;
  row.reason_code = end_reason::kPreempting;
  row.reason_slot.clear();
  c.state.sessions.put(std::move(row));
  return {};
}

Forbidden apply(EventContext& c, const v1::SessionUnreserved& e) {
  const SessionRow* known = find_waiting(c.state, e.session_id(), SessionStatus::kReserved);
  if (known == nullptr) return "the session is not RESERVED";
  SessionRow row = *known;
  row.status = SessionStatus::kPending;
  row.places.clear();
  row.reason_code = {};
  c.state.sessions.put(std::move(row));
  return {};
}

}  // namespace berth::projections
