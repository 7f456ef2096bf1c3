#include "projections/tables/agent_table.h"

namespace berth::projections {

const char* name_of(AgentState state) {
  static constexpr const char* kNames[] = {"ENROLLED", "ALIVE", "LOST", "LEFT"};
  return kNames[static_cast<int>(state)];
}

}  // namespace berth::projections
