// GroupSlots: which slots the agents of a resource group have at all, derived from the agent rows. Agents
// that are lost or drain count, since they may come back. Agents that never joined do not count.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "projections/tables/agent_table.h"

namespace berth::projections {

struct GroupSlots {
  std::uint32_t agents = 0;
  std::map<std::string, std::uint32_t> slots;  // how many agents have some of it

  void add(const AgentRow& agent);
  void remove(const AgentRow& agent);
};

}  // namespace berth::projections
