#include "controller/decide/place_session.h"

#include "events/codec/words/codes.h"

namespace berth::controller {
namespace {

using placement::NamedPlacement;
using projections::SessionRow;

// Of SessionScheduled or SessionReserved.
template <class M>
void fill_placements(const DecisionContext& c, const SessionRow& session,
                     std::span<const NamedPlacement> placements, M* event) {
  const Uuid& election = c.state.epoch().nonce;
  event->set_session_id(std::string(session.id.view()));
  std::size_t kernel = 0;
  for (const auto& role : session.spec->spec.roles()) {
    for (std::uint32_t index = 1; index <= role.count(); ++index, ++kernel) {
      BERTH_CHECK(kernel < placements.size(), "a placement names every kernel");
      const NamedPlacement& placed = placements[kernel];
      auto* p = event->add_placements();
      p->set_kernel_id(
          std::string(projections::derive_kernel_id(session.id, election, role.role(), index).view()));
      p->set_role(role.role());
      p->set_index(index);
      p->set_agent(std::string(placed.agent));
      for (const auto& share : placed.devices) {
        auto* device = p->add_devices();
        device->set_device(std::string(share.device));
        device->set_slot(std::string(share.slot));
        device->set_amount(share.amount);
      }
    }
  }
}

// Caused by the request for the session.
v1::Event& add_caused(EventList& events, const DecisionContext& c, const SessionRow& session) {
  v1::Event& e = events.add(c.stamp);
  projections::to_proto(session.created, e.mutable_cause());
  return e;
}

void add_preempted(EventList& events, const DecisionContext& c, const SessionRow& preemptor,
                   const SessionId& id, placement::PreemptMode mode) {
  const SessionRow* victim = c.state.sessions.find(id);
  BERTH_CHECK(victim != nullptr, "the scheduler preempts sessions that hold slots");
  v1::Event& e = add_caused(events, c, preemptor);
  const auto fill = [&](auto* event) {
    event->set_session_id(std::string(id.view()));
    event->set_reason(wire(projections::end_reason::kPreempted));
    event->set_preemptor(std::string(preemptor.id.view()));
  };
  if (mode == placement::PreemptMode::kTerminate) {
    fill(e.mutable_session_terminating());
  } else {
    fill(e.mutable_session_requeued());
    e.mutable_session_requeued()->set_attempts(victim->attempts);  // it did not fail
  }
}

}  // namespace

EventList place_session(const DecisionContext& c, const SessionRow& session,
                        std::span<const NamedPlacement> placements, std::uint64_t turn) {
  EventList events;
  auto* scheduled = add_caused(events, c, session).mutable_session_scheduled();
  fill_placements(c, session, placements, scheduled);
  scheduled->set_attempt(c.state.next_attempt(session));
  scheduled->set_turn(turn);
  return events;
}

EventList reserve_session(const DecisionContext& c, const SessionRow& session,
                          std::span<const NamedPlacement> placements, std::span<const SessionId> victims,
                          placement::PreemptMode mode) {
  EventList events;
  for (const SessionId& victim : victims) add_preempted(events, c, session, victim, mode);
  fill_placements(c, session, placements, add_caused(events, c, session).mutable_session_reserved());
  return events;
}

EventList unreserve_session(const DecisionContext& c, const SessionRow& session) {
  EventList events;
  add_caused(events, c, session).mutable_session_unreserved()->set_session_id(std::string(session.id.view()));
  return events;
}

EventList change_reason(const DecisionContext& c, const SessionRow& session, Code code,
                        std::string_view slot) {
  EventList events;
  auto* changed = add_caused(events, c, session).mutable_session_reason_changed();
  changed->set_session_id(std::string(session.id.view()));
  changed->set_code(wire(code));
  changed->set_slot(std::string(slot));
  return events;
}

EventList count_retries(const DecisionContext& c, const SessionRow& session, std::uint32_t retries) {
  EventList events;
  auto* retried = add_caused(events, c, session).mutable_session_retried();
  retried->set_session_id(std::string(session.id.view()));
  retried->set_retries(retries);
  return events;
}

}  // namespace berth::controller
