#include "tests/support/placed_by_pass.h"

#include "projections/tables/kernel_table.h"
#include "tests/support/journal.h"

namespace berth::testing {

v1::Event placed_by_pass(const std::string& session, const std::string& agent,
                         const projections::Position& pass) {
  v1::Event event = session_scheduled(session, agent);
  auto* place = event.mutable_session_scheduled()->mutable_placements(0);
  const SessionId id(*Uuid::from_bytes(event.session_scheduled().session_id()));
  const Uuid election = nonce_of_election(pass.epoch);
  place->set_kernel_id(std::string(projections::derive_kernel_id(id, election, place->role(), 1).view()));
  projections::to_proto(pass, event.mutable_session_scheduled()->mutable_pass());
  return event;
}

}  // namespace berth::testing
