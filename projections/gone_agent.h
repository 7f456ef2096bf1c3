// The agent of a session that is not there: nobody knows what became of the session's kernels.
#pragma once

#include <optional>
#include <string>

#include "projections/tables/state.h"

namespace berth::projections {

struct GoneAgent {
  std::string name;
  AgentState state = AgentState::kLost;  // LOST, or LEFT: stopped in order, and what runs there goes on
  Timestamp since = 0;                   // header time; 0: not known
};

// The first agent that is LOST or LEFT while a kernel of the session holds slots there. Nothing: all agents
// of the session are there, or it has none.
std::optional<GoneAgent> gone_agent(const State& state, const SessionRow& session);

// Whether sessions of the agent show something else than before: the agent has gone, is back, or has other
// volumes.
bool is_shown_otherwise(const AgentRow* before, const AgentRow* after);

}  // namespace berth::projections
