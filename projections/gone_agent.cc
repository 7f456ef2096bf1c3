#include "projections/gone_agent.h"

#include <utility>

namespace berth::projections {

std::optional<GoneAgent> gone_agent(const State& state, const SessionRow& session) {
  for (const KernelId& id : session.kernel_ids) {
    const KernelRow* kernel = state.kernels.find(id);
    if (kernel == nullptr || !kernel->holds_slots()) continue;
    const AgentRow* agent = state.agents.find(kernel->agent);
    if (agent != nullptr && agent->is_gone()) return GoneAgent{agent->name, agent->state, agent->gone_at};
  }
  return std::nullopt;
}

bool is_shown_otherwise(const AgentRow* before, const AgentRow* after) {
  const auto gone = [](const AgentRow* row) {
    return row != nullptr && row->is_gone() ? std::optional(std::pair(row->state, row->gone_at))
                                            : std::nullopt;
  };
  const bool has_both = before != nullptr && after != nullptr;
  return gone(before) != gone(after) || (has_both && before->volumes != after->volumes);
}

}  // namespace berth::projections
