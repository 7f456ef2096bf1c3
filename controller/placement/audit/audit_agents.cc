// What is held on each agent, recounted from the live sessions and held places that name it.
#include <algorithm>
#include <map>

#include "controller/placement/audit/parts.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement::audit {

namespace {

using CellKey = std::pair<SlotId, DeviceIndex>;

struct Recount {
  std::map<CellKey, Amount> used;
  std::uint32_t containers = 0;
  std::vector<LiveIndex> holders;
};

// A kernel takes its device shares, and the slots that no share is of from the agent itself.
void add_kernel(const Model& model, const Live::Kernel& kernel, Recount* recount) {
  ++recount->containers;
  std::uint64_t on_devices = 0;
  for (const DeviceShare& share : kernel.devices.view()) {
    recount->used[{share.slot, share.device}] += share.amount;
    on_devices |= 1ull << share.slot;
  }
  for (const SlotAmount& asked : model.requirements[kernel.requirement].slots)
    if ((on_devices >> asked.slot & 1) == 0) recount->used[{asked.slot, kAgentItself}] += asked.amount;
}

std::string cells_text(const Model& model, const CellKey& cell) {
  return "used " + model.slots[cell.first].name +
         (cell.second == kAgentItself ? std::string(" of the agent itself")
                                      : " of device number " + std::to_string(cell.second));
}

std::string check_cells(const Model& model, const Agent& agent, Recount& recount) {
  for (std::size_t i = 0; i < agent.cells.size(); ++i) {
    const SlotCell& cell = agent.cells[i];
    const CellKey key{cell.slot, cell.device};
    if (i > 0 && !(CellKey{agent.cells[i - 1].slot, agent.cells[i - 1].device} < key))
      return "agent " + agent.id + ": its cells are out of order";
    if (cell.device != kAgentItself && cell.device >= agent.devices.size())
      return "agent " + agent.id + ": a cell names a device that is not there";
    if (auto text = differs("agent " + agent.id, cells_text(model, key), cell.used, recount.used[key]);
        !text.empty())
      return text;
    recount.used.erase(key);
  }
  for (const auto& [key, used] : recount.used)
    if (used != 0) return differs("agent " + agent.id, cells_text(model, key), 0, used);
  return {};
}

std::string check_agent(const Model& model, AgentIndex index, Recount& recount) {
  const Agent& agent = model.agents[index];
  const std::string where = "agent " + agent.id;
  for (const SlotCell& base : agent.base_used) recount.used[{base.slot, base.device}] += base.used;
  recount.containers += agent.base_containers;
  std::vector<LiveIndex> holders = agent.holders;
  std::sort(holders.begin(), holders.end());
  for (auto at = holders.begin(); at != holders.end();) {
    if (*at >= model.live.size()) return where + ": a holder is no live session";
    const auto next = std::upper_bound(at, holders.end(), *at);
    std::int64_t kernels = 0;
    for (const Live::Kernel& kernel : model.live[*at].kernels.view()) {
      if (kernel.agent != index) continue;
      ++kernels;
      add_kernel(model, kernel, &recount);
    }
    if (auto text =
            differs(where, "holder entries of session " + to_string(model.live[*at].id), next - at, kernels);
        !text.empty())
      return text;
    at = next;
  }
  if (auto text = check_cells(model, agent, recount); !text.empty()) return text;
  if (auto text = differs(where, "containers", agent.containers, recount.containers); !text.empty())
    return text;
  if (agent.group == kNothing)
    return agent.entry == kNothing ? std::string() : where + ": in no group, but in a search index";
  if (agent.group >= model.groups.size()) return where + ": in a group that is not there";
  return model.groups[agent.group].index->broken_row(model, index);
}

}  // namespace

std::string agent_names(const Model& model) {
  std::size_t grouped = 0, listed = 0;
  std::uint64_t before = 0;
  for (const auto& [id, index] : model.agent_ids) {
    if (index >= model.agents.size() || model.agents[index].id != id)
      return "agent " + id + ": its id leads to another agent";
    if (model.agents[index].label <= before) return "agent " + id + ": labels do not ascend as ids do";
    before = model.agents[index].label;
    grouped += model.agents[index].group != kNothing ? 1 : 0;
  }
  for (const Group& group : model.groups) listed += group.agents.size();
  if (auto text = differs("agents", "number", model.agents.size(), model.agent_ids.size()); !text.empty())
    return text;
  return differs("agents", "number in groups", listed, grouped);
}

std::string agents(const Model& model, AgentIndex begin, AgentIndex end) {
  std::vector<Recount> recounts(end > begin ? end - begin : 0);
  for (const auto& [id, held] : model.held_places) {
    for (const Live::Kernel& kernel : held.kernels)
      if (kernel.agent >= begin && kernel.agent < end)
        add_kernel(model, kernel, &recounts[kernel.agent - begin]);
  }
  for (AgentIndex index = begin; index < end; ++index)
    if (auto text = check_agent(model, index, recounts[index - begin]); !text.empty()) return text;
  return {};
}

}  // namespace berth::placement::audit
