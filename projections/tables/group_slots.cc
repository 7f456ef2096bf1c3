#include "projections/tables/group_slots.h"

#include <set>

namespace berth::projections {
namespace {

std::set<std::string> slots_of(const AgentRow& agent) {
  std::set<std::string> names;
  for (const auto& slot : agent.slots)
    if (slot.amount > 0) names.insert(slot.slot);
  for (const auto& device : agent.devices)
    for (const auto& slot : device.slots)
      if (slot.amount > 0) names.insert(slot.slot);
  return names;
}

}  // namespace

void GroupSlots::add(const AgentRow& agent) {
  ++agents;
  for (const auto& slot : slots_of(agent)) ++slots[slot];
}

void GroupSlots::remove(const AgentRow& agent) {
  --agents;
  for (const auto& slot : slots_of(agent))
    if (--slots[slot] == 0) slots.erase(slot);
}

}  // namespace berth::projections
