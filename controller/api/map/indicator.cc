#include "controller/api/map/indicator.h"

#include <algorithm>

#include "controller/api/map/agent_json.h"
#include "controller/api/map/check_presets.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::AgentRow;
using projections::KernelRow;
using projections::KernelState;
using projections::SlotAmount;
using Bars = std::map<std::string, SlotBars>;

void add_kernel(Bars& bars, const KernelRow& kernel, bool in_group) {
  for (const auto& slot : kernel.role_spec().slots()) {
    SlotBars& bar = bars[slot.slot()];
    if (!in_group)
      bar.elsewhere += slot.amount();
    else if (kernel.state == KernelState::kRunning)
      bar.running += slot.amount();
    else
      bar.reserved += slot.amount();
  }
}

void add_free(Bars& bars, const std::vector<SlotAmount>& capacity, const projections::SlotSums* taken,
              bool schedulable) {
  for (const SlotAmount& entry : capacity) {
    SlotBars& bar = bars[entry.slot];
    bar.capacity += entry.amount;
    const Amount free = entry.amount - (taken == nullptr ? 0 : taken->get(entry.slot));
    if (schedulable) bar.remaining += std::max<Amount>(0, free);
  }
}

void add_agent(Bars& bars, const projections::State& state, const AgentRow& agent) {
  const auto* use = state.occupancy().find(agent.name);
  add_free(bars, agent.slots, use == nullptr ? nullptr : &use->slots, is_schedulable(agent));
  for (const auto& device : agent.devices)
    add_free(bars, device.slots, use == nullptr ? nullptr : use->device(device.id), is_schedulable(agent));
}

// Whose limits count where only the user is known: its own, its domain's and its first project's.
v1::Owner owner_of(const projections::State& state, const std::string& user) {
  v1::Owner owner;
  owner.set_user(user);
  if (const auto* row = state.users.find(user)) {
    owner.set_domain(row->def.domain());
    if (row->def.projects_size() > 0) owner.set_project(row->def.projects(0));
  }
  return owner;
}

json::object bar_to_json(const SlotKinds& kinds, const std::string& slot, Amount used, Amount remaining) {
  return {{"used", amount_text(kinds, slot, used)}, {"total", amount_text(kinds, slot, used + remaining)}};
}

}  // namespace

Bars indicator(const projections::State& state, const std::string& user, const std::string& group) {
  Bars bars;
  state.slot_types.for_each_unordered([&](const projections::SlotTypeRow& row) { bars[row.def.name()]; });
  state.agents.for_each_unordered([&](const AgentRow& agent) {
    if (agent.group == group && agent.state == projections::AgentState::kAlive) add_agent(bars, state, agent);
  });
  const v1::Owner owner = owner_of(state, user);
  for (auto& [slot, bar] : bars)
    if (const auto left = left_by_limits(state, owner, slot)) bar.remaining = std::min(bar.remaining, *left);
  state.kernels.for_each_unordered([&](const KernelRow& kernel) {
    if (!kernel.holds_slots()) return;
    const auto* session = state.sessions.find(kernel.session);
    if (session == nullptr || session->owner->owner.user() != user) return;
    const AgentRow* agent = state.agents.find(kernel.agent);
    add_kernel(bars, kernel, (agent != nullptr ? agent->group : session->spec->spec.group()) == group);
  });
  return bars;
}

json::array indicator_to_json(const SlotKinds& kinds, const Bars& bars) {
  json::array out;
  for (const auto& [slot, bar] : bars)
    out.push_back({{"slot", slot},
                   {"kind", name_of(kinds.kind_of(slot))},
                   {"upper", bar_to_json(kinds, slot, bar.in_group(), bar.remaining)},
                   {"lower", bar_to_json(kinds, slot, bar.in_group() + bar.elsewhere, bar.remaining)},
                   {"reserved", amount_text(kinds, slot, bar.reserved)},
                   {"running", amount_text(kinds, slot, bar.running)},
                   {"remaining", amount_text(kinds, slot, bar.remaining)},
                   {"capacity", amount_text(kinds, slot, bar.capacity)}});
  return out;
}

}  // namespace berth::controller::api
