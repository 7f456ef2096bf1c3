#include "controller/cell/leader/pass_decisions.h"

namespace berth::controller {
namespace {

// Of SessionScheduled or SessionReserved.
template <class M>
void fill_placements(const placement::Cluster& cluster, const projections::SessionRow& session,
                     const PassDecision& decision, M* event) {
  event->set_session_id(std::string(session.id.view()));
  std::size_t kernel = 0;
  for (const auto& role : session.spec->spec.roles()) {
    for (std::uint32_t index = 1; index <= role.count(); ++index, ++kernel) {
      BERTH_CHECK(kernel < decision.kernels.size(), "a placement names every kernel");
      const auto& placed = decision.kernels[kernel];
      auto* p = event->add_placements();
      p->set_kernel_id(std::string(projections::derive_kernel_id(session.id, role.role(), index).view()));
      p->set_role(role.role());
      p->set_index(index);
      p->set_agent(std::string(cluster.agent_name(placed.agent)));
      for (const auto& share : placed.devices) {
        auto* device = p->add_devices();
        device->set_device(std::string(cluster.device_name(placed.agent, share.device)));
        device->set_slot(std::string(cluster.slot_name(share.slot)));
        device->set_amount(share.amount);
      }
    }
  }
}

v1::Event caused_event(const DecisionContext& c, const projections::SessionRow& session) {
  v1::Event e = c.event();
  projections::to_proto(session.created, e.mutable_cause());
  return e;
}

void emit_preempted(const DecisionContext& c, const projections::SessionRow& preemptor, const SessionId& id,
                    placement::PreemptMode mode) {
  const auto* victim = c.state.sessions.find(id);
  BERTH_CHECK(victim != nullptr, "the scheduler preempts sessions that hold slots");
  v1::Event e = caused_event(c, preemptor);
  const auto fill = [&](auto* event) {
    event->set_session_id(std::string(id.view()));
    event->set_reason(projections::end_reason::kPreempted);
    event->set_preemptor(std::string(preemptor.id.view()));
  };
  if (mode == placement::PreemptMode::kTerminate) {
    fill(e.mutable_session_terminating());
  } else {
    fill(e.mutable_session_requeued());
    e.mutable_session_requeued()->set_attempts(victim->attempts);  // it did not fail
  }
  c.emit(std::move(e));
}

}  // namespace

void emit_decision(const DecisionContext& c, const placement::Cluster& cluster,
                   const projections::SessionRow& session, const PassDecision& decision) {
  for (const SessionId& victim : decision.victims) emit_preempted(c, session, victim, decision.mode);
  v1::Event e = caused_event(c, session);
  const std::string id(session.id.view());
  switch (decision.what) {
    case PassDecision::What::kPlaced:
      fill_placements(cluster, session, decision, e.mutable_session_scheduled());
      e.mutable_session_scheduled()->set_attempt(session.attempt + 1);
      e.mutable_session_scheduled()->set_turn(decision.turn);
      break;
    case PassDecision::What::kReserved:
      fill_placements(cluster, session, decision, e.mutable_session_reserved());
      break;
    case PassDecision::What::kUnreserved: e.mutable_session_unreserved()->set_session_id(id); break;
    case PassDecision::What::kRefused:
      e.mutable_session_reason_changed()->set_session_id(id);
      e.mutable_session_reason_changed()->set_code(std::string(placement::to_string(decision.reason.code)));
      if (decision.reason.slot != placement::kNoSlot)
        e.mutable_session_reason_changed()->set_slot(std::string(cluster.slot_name(decision.reason.slot)));
      break;
    case PassDecision::What::kRetried:
      e.mutable_session_retried()->set_session_id(id);
      e.mutable_session_retried()->set_retries(decision.retries);
      break;
  }
  c.emit(std::move(e));
}

}  // namespace berth::controller
