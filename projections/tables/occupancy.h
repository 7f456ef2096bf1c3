// Occupancy: what is taken on each agent and device, derived from the kernel rows. It is never stored and in
// no event.
//
// free = capacity - taken. Negative free is over-commitment: a fact that is shown, and the agent takes
// nothing new (P8).
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "projections/tables/agent_table.h"
#include "projections/tables/kernel_table.h"

namespace berth::projections {

// Amounts by slot. There are few, so a linear search beats a map.
class SlotSums {
 public:
  Amount get(std::string_view slot) const;
  void add(const std::string& slot, Amount amount);
  const std::vector<SlotAmount>& entries() const { return entries_; }

 private:
  std::vector<SlotAmount> entries_;
};

struct AgentUse {
  SlotSums slots;                                         // taken of what belongs to no device
  std::vector<std::pair<std::string, SlotSums>> devices;  // by device id, in order of first use
  std::uint32_t containers = 0;
  const SlotSums* device(std::string_view id) const;
  SlotSums& device_to_change(const std::string& id);
};

class Occupancy {
 public:
  void add(const KernelRow& kernel) { change(kernel, 1); }
  void remove(const KernelRow& kernel) { change(kernel, -1); }
  const AgentUse* find(const std::string& agent) const;

 private:
  void change(const KernelRow& kernel, int sign);
  std::unordered_map<std::string, AgentUse> agents_;
};

// What a kernel asks of its agent beyond its device shares: its slots minus its shares, zeros left out.
std::vector<SlotAmount> agent_level_demand(const KernelRow& kernel);

Amount capacity_of(const std::vector<SlotAmount>& slots, std::string_view slot);

// Empty if the agent's capacity suffices wherever the kernel takes something, all kernels there counted and
// this one too; else what is over, for people (P7).
std::string over_capacity(const Occupancy& occupancy, const AgentRow& agent, const KernelRow& kernel);

}  // namespace berth::projections
