#include "controller/placement/select/fit.h"

#include <algorithm>

namespace berth::placement {

namespace {

bool cell_before(const SlotCell& cell, const std::pair<SlotId, DeviceIndex>& place) {
  return cell.slot != place.first ? cell.slot < place.first : cell.device < place.second;
}

std::span<const SlotCell> range(std::span<const SlotCell> cells, SlotId slot) {
  std::size_t begin = 0;
  while (begin < cells.size() && cells[begin].slot < slot) ++begin;
  std::size_t end = begin;
  while (end < cells.size() && cells[end].slot == slot) ++end;
  return cells.subspan(begin, end - begin);
}

SlotCell& cell_at(std::vector<SlotCell>& cells, SlotId slot, DeviceIndex device) {
  auto at = std::lower_bound(cells.begin(), cells.end(), std::pair{slot, device}, cell_before);
  if (at == cells.end() || at->slot != slot || at->device != device)
    at = cells.insert(at, {slot, device, 0, 0, 0});
  return *at;
}

}  // namespace

std::span<const SlotCell> cells_of(const Agent& agent, SlotId slot) { return range(agent.cells, slot); }

bool on_devices(std::span<const SlotCell> cells) {
  return !cells.empty() && cells.front().device != kAgentItself;
}

Amount free_of(std::span<const SlotCell> cells) {
  Amount sum = 0;
  for (const SlotCell& cell : cells) sum += cell.free();
  return sum;
}

void apply_to_cells(std::vector<SlotCell>& cells, const Requirement& requirement,
                    std::span<const DeviceShare> devices, int sign) {
  for (const DeviceShare& share : devices)
    cell_at(cells, share.slot, share.device).used += sign * share.amount;
  for (const SlotAmount& asked : requirement.slots) {
    const auto on_device = [&](const DeviceShare& share) { return share.slot == asked.slot; };
    if (std::any_of(devices.begin(), devices.end(), on_device)) continue;
    cell_at(cells, asked.slot, kAgentItself).used += sign * asked.amount;
  }
}

Code Fitter::fit(const Model& model, const Agent& agent, const Need& need,
                 std::vector<KernelPlacement>* placements) {
  if (!agent.takes_more()) return Code::kNoAgents;
  if (need.arch != 0 && need.arch != agent.arch) return Code::kArchitecture;
  if (agent.containers + static_cast<std::uint64_t>(need.containers) > agent.max_containers)
    return Code::kContainerLimit;
  return fit_amounts(model, agent, need, placements);
}

Code Fitter::fit_amounts(const Model& model, const Agent& agent, const Need& need,
                         std::vector<KernelPlacement>* placements) {
  placements->clear();
  bool devices = false;
  for (const SlotAmount& asked : need.sums) {
    const std::span<const SlotCell> cells = cells_of(agent, asked.slot);
    if (free_of(cells) < asked.amount) return Code::kNoCapacity;
    devices = devices || on_devices(cells);
  }
  const auto index = static_cast<AgentIndex>(&agent - model.agents.data());
  for (const KernelCount& kernel : need.kernels)
    placements->insert(placements->end(), kernel.count, {index, {}});
  if (!devices) return Code::kNone;
  const Group& group = model.groups[agent.group];
  const bool done = need.containers == 1
                        ? place_kernel(group, agent.cells, model.requirements[need.kernels[0].requirement],
                                       &placements->front())
                        : place_together(model, agent, need, placements);
  return done ? Code::kNone : Code::kNoDevice;
}

// Slot by slot, since the maps of one do not bear on those of another.
bool Fitter::place_together(const Model& model, const Agent& agent, const Need& need,
                            std::vector<KernelPlacement>* placements) {
  for (const SlotAmount& slot : need.sums) {
    const std::span<const SlotCell> cells = cells_of(agent, slot.slot);
    if (!on_devices(cells)) continue;
    read_devices(cells);
    asks_.clear();
    for (const KernelCount& kernel : need.kernels) {
      Amount asked = 0;
      for (const SlotAmount& amount : model.requirements[kernel.requirement].slots) {
        if (amount.slot == slot.slot) asked = amount.amount;
      }
      asks_.insert(asks_.end(), kernel.count, asked);
    }
    if (!packer_.pack(model.groups[agent.group].map_policies[slot.slot], free_, asks_, &packed_))
      return false;
    for (std::size_t kernel = 0; kernel < asks_.size(); ++kernel) {
      for (const MapShare& share : packed_[kernel]) {
        (*placements)[kernel].devices.push_back({cells[share.device].device, slot.slot, share.amount});
      }
    }
  }
  return true;
}

void Fitter::read_devices(std::span<const SlotCell> cells) {
  free_.clear();
  for (const SlotCell& cell : cells) {
    if (cell.device != kAgentItself) free_.push_back({cell.capacity, cell.free(), cell.numa});
  }
}

// The kernel has this device already: those of its node are near.
void Fitter::see_near(std::span<const SlotCell> all, DeviceIndex device) {
  const auto has =
      std::find_if(all.begin(), all.end(), [&](const SlotCell& cell) { return cell.device == device; });
  for (DeviceFree& other : free_) other.near = other.near || other.numa == has->numa;
}

bool Fitter::place_kernel(const Group& group, std::span<const SlotCell> all, const Requirement& requirement,
                          KernelPlacement* placement) {
  bool in_order = true;
  for (const SlotId slot : group.slot_order) {  // the first of them says which node the others stand near
    const auto asked = std::find_if(requirement.slots.begin(), requirement.slots.end(),
                                    [&](const SlotAmount& amount) { return amount.slot == slot; });
    if (asked == requirement.slots.end()) continue;
    const std::span<const SlotCell> cells = range(all, slot);
    if (!on_devices(cells)) continue;
    read_devices(cells);
    for (const DeviceShare& share : placement->devices) see_near(all, share.device);
    if (mapper_.map(group.map_policies[slot], free_, asked->amount, &shares_) != MapEnd::kDone) return false;
    in_order = in_order && (placement->devices.empty() || placement->devices.back().slot < slot);
    for (const MapShare& share : shares_)
      placement->devices.push_back({cells[share.device].device, slot, share.amount});
  }
  const auto by_slot = [](const DeviceShare& a, const DeviceShare& b) { return a.slot < b.slot; };
  if (!in_order) std::stable_sort(placement->devices.begin(), placement->devices.end(), by_slot);
  return true;
}

Amount Fitter::most(const Model& model, const Agent& agent, SlotId slot, Amount asked) {
  const std::span<const SlotCell> cells = cells_of(agent, slot);
  if (!on_devices(cells)) return std::clamp<Amount>(free_of(cells), 0, asked);
  read_devices(cells);
  const MapPolicy& policy = model.groups[agent.group].map_policies[slot];
  const Amount step = std::max<Amount>(policy.quantum, asked / 4096);  // bounds the search for slots in bytes
  for (Amount amount = std::min(asked, std::max<Amount>(free_of(cells), 0)); amount > 0; amount -= step) {
    if (mapper_.map(policy, free_, amount, &shares_) != MapEnd::kDone) continue;
    Amount given = 0;
    for (const MapShare& share : shares_) given += share.amount;
    return given;
  }
  return 0;
}

}  // namespace berth::placement
