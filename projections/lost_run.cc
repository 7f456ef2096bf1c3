#include "projections/lost_run.h"

namespace berth::projections {

bool is_result_of_lost_run(const State& state, const KernelRow& kernel, v1::KernelEnd told) {
  if (kernel.end != v1::AGENT_LOST || !kernel.is_main()) return false;
  if (told != v1::EXITED && told != v1::SIGNALLED && told != v1::OUT_OF_MEMORY) return false;
  const SessionRow* session = state.sessions.find(kernel.session);
  return session != nullptr && is_waiting(session->status) && !session->lost_kernels.empty() &&
         session->lost_kernels.front() == kernel.id;
}

}  // namespace berth::projections
