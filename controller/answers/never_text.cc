#include "controller/answers/never_text.h"

#include <algorithm>
#include <vector>

#include "projections/limits.h"

namespace berth::controller {
namespace {

using projections::AgentRow;
using projections::State;

constexpr const char* kLargerAgent = "a larger agent joins the group; or ask for less";

using Agents = std::vector<const AgentRow*>;  // by name

Agents agents_in(const State& state, const std::string& group) {
  Agents all;
  for (const auto& name : state.agents.sorted_keys())
    if (const AgentRow* agent = state.agents.find(name); agent->group == group) all.push_back(agent);
  return all;
}

Agents of_architecture(Agents agents, const std::string& architecture) {
  if (!architecture.empty())
    std::erase_if(agents, [&](const AgentRow* agent) { return agent->architecture != architecture; });
  return agents;
}

Agents designated(Agents agents, const v1::SessionSpec& spec) {
  const auto& wanted = spec.agents();
  if (!wanted.empty() && spec.agent_rule() != v1::AGENT_PREFERRED)
    std::erase_if(agents, [&](const AgentRow* agent) {
      return std::find(wanted.begin(), wanted.end(), agent->name) == wanted.end();
    });
  return agents;
}

Amount capacity_of_all(const AgentRow& agent, const std::string& slot) {
  Amount sum = projections::capacity_of(agent.slots, slot);
  for (const auto& device : agent.devices) sum += projections::capacity_of(device.slots, slot);
  return sum;
}

// What has to fit on one agent of the slot: all kernels of a single-node session, or the largest of a gang.
Amount asked_at_once(const v1::SessionSpec& spec, const std::string& slot) {
  Amount most = 0, sum = 0;
  for (const auto& role : spec.roles())
    for (const auto& amount : role.slots()) {
      if (amount.slot() != slot) continue;
      most = std::max(most, amount.amount());
      sum += amount.amount() * role.count();
    }
  return spec.mode() == v1::MULTI_NODE ? most : sum;
}

std::string demand_text(const State& state, const v1::SessionSpec& spec) {
  std::string text;
  for (const auto& slot : projections::total_demand(spec))
    text += (text.empty() ? "" : ", ") + amount_text(state, slot.slot, slot.amount) + " " + slot.slot;
  return text;
}

CauseText without_slot(const State& state, const v1::SessionSpec& spec) {
  const Agents all = agents_in(state, spec.group()), suited = of_architecture(all, spec.architecture());
  const std::string those =
      "of the " + std::to_string(all.size()) + " agents of resource group " + spec.group();
  if (suited.empty())
    return {"none " + those + " has architecture " + spec.architecture(),
            "an agent of that architecture joins the group; or ask for another image or --arch"};
  if (designated(suited, spec).empty())
    return {"none " + those + " is one that it is to run on",
            "one of them joins the group; or ask without --agent"};
  return {"its kernels can never all have room, even with nobody else on the agents of resource group " +
              spec.group() + ": " + std::to_string(projections::kernel_count(spec)) + " kernels with " +
              demand_text(state, spec),
          kLargerAgent};
}

}  // namespace

CauseText never_text(const State& state, const v1::SessionSpec& spec, const std::string& slot) {
  const AgentRow* largest = nullptr;
  const Agents agents = of_architecture(agents_in(state, spec.group()), spec.architecture());
  for (const AgentRow* agent : designated(agents, spec))
    if (largest == nullptr || capacity_of_all(*agent, slot) > capacity_of_all(*largest, slot))
      largest = agent;
  if (slot.empty() || largest == nullptr) return without_slot(state, spec);
  const Amount asked = asked_at_once(spec, slot), most = capacity_of_all(*largest, slot);
  const std::string text = "no agent can ever hold " + amount_text(state, slot, asked) + " " + slot +
                           ": the largest has " + amount_text(state, slot, most) + " (agent " +
                           largest->name + ")";
  if (asked <= most)
    return {text + ", which cannot be had beside the rest of it, or not in that form", kLargerAgent};
  return {text, kLargerAgent};
}

std::string never_warning(const State& state, const v1::SessionSpec& spec, const std::string& slot) {
  const CauseText never = never_text(state, spec, slot);
  const auto* group = state.groups.find(spec.group());
  const bool blocks = group != nullptr && group->def.impossible() != "skip" &&
                      group->def.head_of_line() != "greedy" && group->def.order() != "backfill";
  return never.text + (blocks ? "; it may block those behind it" : "") + "; it waits until " + never.hint;
}

}  // namespace berth::controller
