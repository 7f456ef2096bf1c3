#include "controller/core/pass_decisions.h"

namespace berth::controller {
namespace {

void fill_placements(const scheduler::Cluster& cluster, const projections::SessionRow& session, const PassDecision& decision,
                     v1::SessionScheduled* scheduled) {
  scheduled->set_session_id(std::string(session.id.view()));
  scheduled->set_attempt(session.attempt + 1);
  scheduled->set_turn(decision.turn);
  std::size_t kernel = 0;
  for (const auto& role : session.spec->spec.roles()) {
    for (std::uint32_t index = 1; index <= role.count(); ++index, ++kernel) {
      BERTH_CHECK(kernel < decision.kernels.size(), "a placement names every kernel");
      const auto& placed = decision.kernels[kernel];
      auto* p = scheduled->add_placements();
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

}  // namespace

v1::Event decision_event(const DecisionContext& c, const scheduler::Cluster& cluster, const projections::SessionRow& session,
                         const PassDecision& decision) {
  v1::Event e = c.event();
  projections::to_proto(session.created, e.mutable_cause());
  const std::string id(session.id.view());
  switch (decision.what) {
    case PassDecision::What::kPlaced: fill_placements(cluster, session, decision, e.mutable_session_scheduled()); break;
    case PassDecision::What::kRefused:
      e.mutable_session_reason_changed()->set_session_id(id);
      e.mutable_session_reason_changed()->set_code(std::string(scheduler::to_string(decision.reason.code)));
      if (decision.reason.slot != scheduler::kNoSlot)
        e.mutable_session_reason_changed()->set_slot(std::string(cluster.slot_name(decision.reason.slot)));
      break;
    case PassDecision::What::kRetried:
      e.mutable_session_retried()->set_session_id(id);
      e.mutable_session_retried()->set_retries(decision.retries);
      break;
  }
  return e;
}

}  // namespace berth::controller
