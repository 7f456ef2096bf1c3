#include "projections/tables/kernel_table.h"

#include "events/base/hash.h"

namespace berth::projections {

const char* name_of(KernelState state) {
  switch (state) {
    case KernelState::kScheduled: return "SCHEDULED";
    case KernelState::kPreparing: return "PREPARING";
    case KernelState::kPulling: return "PULLING";
    case KernelState::kPrepared: return "PREPARED";
    case KernelState::kCreating: return "CREATING";
    case KernelState::kRunning: return "RUNNING";
    case KernelState::kTerminated: return "TERMINATED";
  }
  return "";
}

bool may_move(KernelState from, KernelState to) {
  return to > from || (from == KernelState::kPulling && to == KernelState::kPulling);
}

KernelId derive_kernel_id(const SessionId& session, const Uuid& election, std::string_view role,
                          std::uint32_t index) {
  const std::string input = "kernel:" + std::string(session.view()) + ":" + std::string(election.view()) +
                            ":" + std::string(role) + ":" + std::to_string(index);
  return KernelId(Uuid::from_hash(blake2b_128(input)));
}

}  // namespace berth::projections
