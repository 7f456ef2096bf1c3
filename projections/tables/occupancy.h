// What is taken on each agent and device: derived from the kernel rows, never stored, in no event (design,
// section 5).
//
// free = capacity - taken; negative free is over-commitment, a fact that is shown and takes nothing new (P8).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "projections/tables/agent_table.h"
#include "projections/tables/kernel_table.h"

namespace berth::projections {

// Few entries: a linear search beats a map.
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

// What a kernel asks of its agent beyond its device shares: its slots minus what the shares cover, zeros left
// out.
std::vector<SlotAmount> agent_level_demand(const KernelRow& kernel);

Amount capacity_of(const std::vector<SlotAmount>& slots, std::string_view slot);

// Empty if what is taken on the kernel's agent, this kernel included, is within capacity wherever this kernel
// takes something; else what is over, for people. The net of P7.
std::string over_capacity(const Occupancy& occupancy, const AgentRow& agent, const KernelRow& kernel);

}  // namespace berth::projections
