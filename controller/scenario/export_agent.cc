// Agents of an exported scenario.
#include <algorithm>

#include "controller/scenario/export_parts.h"

namespace berth::placement {

namespace json = boost::json;
using projections::AgentRow;
using projections::AgentState;
using projections::KernelRow;

namespace {

constexpr std::uint32_t kContainersMax = 1'000'000;

bool has_device(const AgentRow& row, const std::string& id) {
  return std::any_of(row.devices.begin(), row.devices.end(),
                     [&](const auto& device) { return device.id == id; });
}

// What sessions take that are not in the file.
struct Others {
  projections::SlotSums slots;
  std::map<std::string, projections::SlotSums> devices;
  std::uint32_t containers = 0;
};

Others others_on(const Exporter& e, const AgentRow& row) {
  Others others;
  for (const KernelId& id : e.state.kernels_on(row.name)) {
    const KernelRow& kernel = *e.state.kernels.find(id);
    if (e.is_exported(kernel.session)) continue;
    ++others.containers;
    for (const auto& demand : projections::agent_level_demand(kernel))
      others.slots.add(demand.slot, demand.amount);
    for (const auto& share : kernel.devices) others.devices[share.device].add(share.slot, share.amount);
  }
  return others;
}

// What is taken is listed, though the agent has none of it any more.
void list_what_is_gone(json::object& capacity, const projections::SlotSums& taken) {
  for (const auto& entry : taken.entries())
    if (!capacity.contains(entry.slot)) capacity[entry.slot] = "0";
}

}  // namespace

json::array Exporter::export_agents() {
  json::array list;
  for (const std::string& name : agents) list.push_back(export_agent(*state.agents.find(name)));
  return list;
}

json::object Exporter::export_agent(const AgentRow& row) {
  const Others others = others_on(*this, row);
  std::map<std::string, projections::SlotSums> held;  // of each device, by whomever
  for (const KernelId& id : state.kernels_on(row.name))
    for (const auto& share : state.kernels.find(id)->devices)
      held[share.device].add(share.slot, share.amount);
  json::object own = amounts(row.slots);
  list_what_is_gone(own, others.slots);
  json::object agent{
      {"id", row.name}, {"group", row.group}, {"arch", row.architecture}, {"slots", std::move(own)}};
  json::array devices;
  const auto add = [&](const std::string& id, std::int32_t numa, json::object capacity) {
    list_what_is_gone(capacity, held[id]);
    json::object device{{"id", id}, {"slots", std::move(capacity)}, {"numa", std::clamp(numa, -1, 65'535)}};
    if (const auto used = others.devices.find(id); used != others.devices.end())
      device["used"] = amounts(used->second.entries());
    devices.push_back(std::move(device));
  };
  for (const auto& device : row.devices) add(device.id, device.numa, amounts(device.slots));
  std::vector<std::string> gone;
  for (const auto& [id, sums] : held)
    if (!has_device(row, id)) gone.push_back(id);
  for (const std::string& id : gone) add(id, 0, {});
  agent["devices"] = std::move(devices);
  if (!others.slots.entries().empty()) agent["used"] = amounts(others.slots.entries());
  if (others.containers > 0) agent["containers"] = others.containers;
  agent["max_containers"] =
      row.max_containers == 0 ? kContainersMax : std::min(row.max_containers, kContainersMax);
  agent["draining"] = !row.takes_sessions();
  if (row.state != AgentState::kAlive)
    note("agent " + row.name + " is " + projections::name_of(row.state) + ": in the file it is draining");
  else if (!row.unfit.empty())
    note("agent " + row.name + " is unfit: in the file it is draining");
  return agent;
}

}  // namespace berth::placement
