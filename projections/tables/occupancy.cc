#include "projections/tables/occupancy.h"

#include <algorithm>

namespace berth::projections {

Amount SlotSums::get(std::string_view slot) const {
  for (const auto& e : entries_)
    if (e.slot == slot) return e.amount;
  return 0;
}

void SlotSums::add(const std::string& slot, Amount amount) {
  for (auto& e : entries_) {
    if (e.slot != slot) continue;
    e.amount += amount;
    return;
  }
  entries_.push_back({slot, amount});
}

const SlotSums* AgentUse::device(std::string_view id) const {
  for (const auto& [name, sums] : devices)
    if (name == id) return &sums;
  return nullptr;
}

SlotSums& AgentUse::device_to_change(const std::string& id) {
  for (auto& [name, sums] : devices)
    if (name == id) return sums;
  return devices.emplace_back(id, SlotSums{}).second;
}

const AgentUse* Occupancy::find(const std::string& agent) const {
  const auto it = agents_.find(agent);
  return it == agents_.end() ? nullptr : &it->second;
}

namespace {

// Calls f(slot, amount) for what the kernel asks of its agent beyond its device shares, zeros left out.
template <class F> void each_agent_level_demand(const KernelRow& kernel, F f) {
  for (const auto& slot : kernel.role_spec().slots()) {
    Amount amount = slot.amount();
    for (const auto& share : kernel.devices)
      if (share.slot == slot.slot()) amount -= share.amount;
    if (amount != 0) f(slot.slot(), amount);
  }
}

}  // namespace

void Occupancy::change(const KernelRow& kernel, int sign) {
  AgentUse& use = agents_[kernel.agent];
  each_agent_level_demand(
      kernel, [&](const std::string& slot, Amount amount) { use.slots.add(slot, sign * amount); });
  for (const auto& share : kernel.devices)
    use.device_to_change(share.device).add(share.slot, sign * share.amount);
  use.containers += static_cast<std::uint32_t>(sign);
}

std::vector<SlotAmount> agent_level_demand(const KernelRow& kernel) {
  std::vector<SlotAmount> demand;
  each_agent_level_demand(kernel, [&](const std::string& slot, Amount amount) {
    demand.push_back({slot, amount});
  });
  return demand;
}

Amount capacity_of(const std::vector<SlotAmount>& slots, std::string_view slot) {
  Amount sum = 0;
  for (const auto& s : slots)
    if (s.slot == slot) sum += s.amount;
  return sum;
}

std::string over_capacity(const Occupancy& occupancy, const AgentRow& agent, const KernelRow& kernel) {
  const AgentUse* use = occupancy.find(agent.name);
  if (use == nullptr) return {};
  std::string over;
  each_agent_level_demand(kernel, [&](const std::string& slot, Amount amount) {
    if (amount < 0)
      over = slot + " given beyond what was asked";
    else if (use->slots.get(slot) > capacity_of(agent.slots, slot))
      over = slot + " of agent " + agent.name;
  });
  if (!over.empty()) return over;
  for (const auto& share : kernel.devices) {
    const auto device = std::find_if(agent.devices.begin(), agent.devices.end(),
                                     [&](const DeviceRow& d) { return d.id == share.device; });
    if (device == agent.devices.end()) return "agent " + agent.name + " has no device " + share.device;
    if (share.amount <= 0) return "an empty share of " + share.device;
    if (use->device(share.device)->get(share.slot) > capacity_of(device->slots, share.slot))
      return share.slot + " of " + share.device + " on agent " + agent.name;
  }
  if (agent.max_containers != 0 && use->containers > agent.max_containers)
    return "containers of agent " + agent.name;
  return {};
}

}  // namespace berth::projections
