#include "controller/placement/cluster/ledger.h"

#include <algorithm>

#include "controller/placement/model/catalog.h"
#include "controller/placement/order/ranked_lanes.h"
#include "controller/placement/select/fit.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

constexpr std::uint64_t kLabelStep = 1ull << 32;

void relabel_all(Model& model) {
  std::uint64_t label = 1ull << 40;
  for (const auto& [id, index] : model.agent_ids) model.agents[index].label = label += kLabelStep;
  for (Group& group : model.groups) {
    decltype(group.agents) agents;
    for (const auto& [old, index] : group.agents) agents.emplace(model.agents[index].label, index);
    group.agents.swap(agents);
    if (group.index) group.index->rebuild(model, group);
  }
}

// A label between those of the neighbours by id; all get new ones when there is no room.
void label_new(Model& model, AgentIndex index) {
  const auto at = model.agent_ids.find(model.agents[index].id);
  const auto after = std::next(at);
  const std::uint64_t low = at == model.agent_ids.begin() ? 0 : model.agents[std::prev(at)->second].label;
  const std::uint64_t high =
      after == model.agent_ids.end() ? low + 2 * kLabelStep : model.agents[after->second].label;
  model.agents[index].label = low + (high - low) / 2;
  if (high - low < 2 || high < low) relabel_all(model);
}

void add_amounts(std::vector<SlotCell>& cells, std::span<const SlotAmount> amounts, DeviceIndex device,
                 Amount SlotCell::*field) {
  for (const SlotAmount& amount : amounts) {
    auto at = std::find_if(cells.begin(), cells.end(), [&](const SlotCell& cell) {
      return cell.slot == amount.slot && cell.device == device;
    });
    if (at == cells.end()) at = cells.insert(at, {amount.slot, device, 0, 0, 0});
    (*at).*field += amount.amount;
  }
}

// Devices in the order of the join; those that are gone behind them while something is held there.
std::vector<DeviceIndex> reorder_devices(Agent& agent, const AgentSpec& spec) {
  std::vector<AgentDevice> devices;
  for (const DeviceSpec& device : spec.devices) devices.push_back({device.id, device.numa});
  std::vector<DeviceIndex> moved(agent.devices.size());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const auto at = std::find_if(devices.begin(), devices.end(),
                                 [&](const AgentDevice& device) { return device.id == agent.devices[i].id; });
    moved[i] = static_cast<DeviceIndex>(at - devices.begin());
    if (at == devices.end()) devices.push_back(agent.devices[i]);
  }
  agent.devices.swap(devices);
  return moved;
}

void move_devices(std::span<Live::Kernel> kernels, AgentIndex agent, const std::vector<DeviceIndex>& moved) {
  for (Live::Kernel& kernel : kernels) {
    if (kernel.agent != agent) continue;
    for (DeviceShare& share : kernel.devices.view()) share.device = moved[share.device];
  }
}

// Of live sessions and held places.
void move_live_devices(Model& model, AgentIndex agent, const std::vector<DeviceIndex>& moved) {
  for (Live& live : model.live) move_devices(live.kernels.view(), agent, moved);
  for (auto& [id, place] : model.held_places) move_devices(place.kernels, agent, moved);
}

}  // namespace

AgentIndex agent_for(Model& model, std::string_view id) {
  const auto found = model.agent_ids.find(id);
  if (found != model.agent_ids.end()) return found->second;
  const auto index = static_cast<AgentIndex>(model.agents.size());
  model.agents.emplace_back().id = std::string(id);
  model.agent_ids.emplace(id, index);
  label_new(model, index);
  return index;
}

DeviceIndex device_for(Agent& agent, std::string_view id) {
  for (std::size_t i = 0; i < agent.devices.size(); ++i) {
    if (agent.devices[i].id == id) return static_cast<DeviceIndex>(i);
  }
  agent.devices.push_back({std::string(id), 0});
  return static_cast<DeviceIndex>(agent.devices.size() - 1);
}

namespace {

void set_volumes(Model& model, AgentIndex index, std::vector<std::uint32_t> volumes) {
  Agent& agent = model.agents[index];
  for (const std::uint32_t volume : agent.volumes) {
    const auto known = model.volume_agents.find(volume);
    known->second.erase(index);
    if (known->second.empty()) model.volume_agents.erase(known);
  }
  agent.volumes = std::move(volumes);
  for (const std::uint32_t volume : agent.volumes) model.volume_agents[volume].insert(index);
}

}  // namespace

void upsert(Model& model, GroupIndex group_index, const AgentSpec& spec) {
  const AgentIndex index = agent_for(model, spec.id);
  if (model.agents[index].group != kNothing) {
    Group& old = model.groups[model.agents[index].group];
    if (old.index) old.index->remove(model, index);
    old.agents.erase(model.agents[index].label);
    ++old.capacities;
    if (old.policy.skip_impossible) {  // the group has less now: what blocks it may be impossible
      ++old.gains;
      old.touch();
    }
    capacity_changed(old);
  }
  Agent& agent = model.agents[index];
  const std::vector<DeviceIndex> moved = reorder_devices(agent, spec);
  std::vector<SlotCell> cells;
  for (SlotCell cell : agent.cells) {  // what live sessions occupy = used without the base
    if (cell.device != kAgentItself) cell.device = moved[cell.device];
    for (const SlotCell& base : agent.base_used) {
      const DeviceIndex device = base.device == kAgentItself ? kAgentItself : moved[base.device];
      if (base.slot == cell.slot && device == cell.device) cell.used -= base.used;
    }
    cell.capacity = 0;
    if (cell.used != 0) cells.push_back(cell);
  }
  agent.base_used.clear();
  add_amounts(cells, spec.slots, kAgentItself, &SlotCell::capacity);
  add_amounts(cells, spec.used, kAgentItself, &SlotCell::used);
  add_amounts(agent.base_used, spec.used, kAgentItself, &SlotCell::used);
  for (std::size_t i = 0; i < spec.devices.size(); ++i) {
    const auto device = static_cast<DeviceIndex>(i);
    add_amounts(cells, spec.devices[i].slots, device, &SlotCell::capacity);
    add_amounts(cells, spec.devices[i].used, device, &SlotCell::used);
    add_amounts(agent.base_used, spec.devices[i].used, device, &SlotCell::used);
  }
  std::sort(cells.begin(), cells.end(), [](const SlotCell& a, const SlotCell& b) {
    return a.slot != b.slot ? a.slot < b.slot : a.device < b.device;
  });
  for (SlotCell& cell : cells) cell.numa = cell.device == kAgentItself ? 0 : agent.devices[cell.device].numa;
  agent.cells.swap(cells);
  agent.group = group_index;
  agent.arch = model.intern_name(spec.arch);
  agent.schedulable = spec.schedulable;
  agent.draining = spec.draining;
  agent.containers = agent.containers - agent.base_containers + spec.containers;
  agent.base_containers = spec.containers;
  agent.max_containers = spec.max_containers;
  set_volumes(model, index, intern_names(model, spec.volumes));
  bool identity = true;
  for (std::size_t i = 0; i < moved.size(); ++i) identity = identity && moved[i] == i;
  if (!identity) move_live_devices(model, index, moved);
  model.groups[group_index].agents.emplace(agent.label, index);
  ++model.groups[group_index].capacities;
  capacity_changed(model.groups[group_index]);
  agent_changed(model, index, true);
}

void capacity_changed(Group& group) {
  if (group.ranks) group.ranks->capacity_changed();
}

void agent_changed(Model& model, AgentIndex index, bool gain) {
  const Agent& agent = model.agents[index];
  if (agent.group == kNothing) return;
  Group& group = model.groups[agent.group];
  ++group.changes;
  if (gain) {
    ++group.gains;
    group.touch();
  }
  if (group.index) group.index->changed(model, index);
}

namespace {

void change(Model& model, RequirementIndex requirement, AgentIndex index,
            std::span<const DeviceShare> devices, int sign, bool gain) {
  Agent& agent = model.agents[index];
  BERTH_CHECK(sign > 0 || agent.containers != agent.base_containers,
              "an agent gives back more than was taken");
  apply_to_cells(agent.cells, model.requirements[requirement], devices, sign);
  agent.containers += static_cast<std::uint32_t>(sign);
  agent_changed(model, index, gain);
}

}  // namespace

void take(Model& model, RequirementIndex requirement, AgentIndex agent,
          std::span<const DeviceShare> devices) {
  change(model, requirement, agent, devices, 1, false);
}

void give_back(Model& model, RequirementIndex requirement, AgentIndex agent,
               std::span<const DeviceShare> devices) {
  change(model, requirement, agent, devices, -1, true);
}

void undo_take(Model& model, RequirementIndex requirement, AgentIndex agent,
               std::span<const DeviceShare> devices) {
  change(model, requirement, agent, devices, -1, false);
}

Live::Kernel kernel_of(Model& model, const PlacedKernel& placed) {
  Live::Kernel made;
  made.kernel = placed.kernel;
  made.requirement = intern_requirement(model, {0, {placed.slots.begin(), placed.slots.end()}});
  made.agent = agent_for(model, placed.agent);
  for (const PlacedDevice& device : placed.devices) {
    made.devices.push_back({device_for(model.agents[made.agent], device.device), device.slot, device.amount});
  }
  made.group = model.agents[made.agent].group;
  return made;
}

Live& live_for(Model& model, const SessionId& id) {
  const LiveIndex found = model.find_live(id);
  if (found != kNothing) return model.live[found];
  LiveIndex index;
  if (model.free_live.empty()) {
    index = static_cast<LiveIndex>(model.live.size());
    model.live.emplace_back();
  } else {
    index = model.free_live.back();
    model.free_live.pop_back();
  }
  model.live[index].id = id;
  model.live_ids.insert(id, index);
  return model.live[index];
}

void count_share(Group& group, std::size_t slot_types, std::uint32_t user, std::span<const SlotAmount> slots,
                 int sign) {
  if (group.ranks && group.policy.order == Order::kDrf) group.ranks->user_changed(user);
  std::vector<Amount>& occupied = group.occupied_by_user[user];
  occupied.resize(slot_types, 0);
  for (const SlotAmount& slot : slots) occupied[slot.slot] += sign * slot.amount;
}

void count_for_user(Model& model, std::uint32_t user, const Live::Kernel& kernel, int sign) {
  if (kernel.group == kNothing) return;
  count_share(model.groups[kernel.group], model.slots.size(), user,
              model.requirements[kernel.requirement].slots, sign);
}

void add_holder(Model& model, AgentIndex agent, const Live& live) {
  model.agents[agent].holders.push_back(static_cast<LiveIndex>(&live - model.live.data()));
}

void drop_holder(Model& model, AgentIndex agent, const Live& live) {
  std::vector<LiveIndex>& holders = model.agents[agent].holders;
  const auto at =
      std::find(holders.begin(), holders.end(), static_cast<LiveIndex>(&live - model.live.data()));
  BERTH_CHECK(at != holders.end(), "a session leaves an agent that does not list it as a holder");
  *at = holders.back();
  holders.pop_back();
}

void forget_live(Model& model, LiveIndex index) {
  Live& live = model.live[index];
  model.live_ids.erase(live.id, index);
  live = Live{};
  model.free_live.push_back(index);
}

}  // namespace berth::placement
