#include "controller/api/map/agent_json.h"

#include <map>

#include "controller/api/map/json_values.h"
#include "events/base/slots/slot_name.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::AgentRow;
using projections::AgentState;
using projections::AgentUse;
using projections::Noun;
using projections::SlotAmount;
using projections::Verb;

std::vector<SlotAmount> in_order(const std::map<std::string, Amount>& sums) {
  std::vector<SlotAmount> out;
  out.reserve(sums.size());
  for (const auto& [slot, amount] : sums) out.push_back({slot, amount});
  return out;
}

Amount amount_in(const std::vector<SlotAmount>& slots, const std::string& slot) {
  for (const SlotAmount& entry : slots)
    if (entry.slot == slot) return entry.amount;
  return 0;
}

// {"cpu": {"capacity", "taken", "free"}} for every slot that it has or that is taken of it.
json::object use_to_json(const SlotKinds& kinds, const std::vector<SlotAmount>& capacity,
                         const std::vector<SlotAmount>& taken) {
  std::map<std::string, Amount> all;
  for (const SlotAmount& entry : capacity) all[entry.slot] = entry.amount;
  for (const SlotAmount& entry : taken)
    if (entry.amount != 0) all.try_emplace(entry.slot, 0);
  json::object out;
  for (const auto& [slot, amount] : all) {
    const Amount used = amount_in(taken, slot);
    out[slot] = {{"capacity", amount_text(kinds, slot, amount)},
                 {"taken", amount_text(kinds, slot, used)},
                 {"free", amount_text(kinds, slot, amount - used)}};
  }
  return out;
}

json::array devices_to_json(const SlotKinds& kinds, const AgentRow& agent, const AgentUse* use) {
  json::array out;
  for (const auto& device : agent.devices) {
    const auto* taken = use == nullptr ? nullptr : use->device(device.id);
    out.push_back({{"id", device.id},
                   {"model", device.model},
                   {"numa", device.numa},
                   {"slots", use_to_json(kinds, device.slots,
                                         taken == nullptr ? std::vector<SlotAmount>() : taken->entries())}});
  }
  return out;
}

// Device slots are counts.
json::array shares_to_json(const std::vector<projections::DeviceShare>& shares) {
  json::array out;
  for (const auto& share : shares)
    out.push_back({{"device", share.device},
                   {"slot", share.slot},
                   {"amount", format_amount(SlotKind::kCount, share.amount)}});
  return out;
}

json::array kernels_to_json(const projections::State& state, const SlotKinds& kinds, const AgentRow& agent,
                            const projections::Actor& actor) {
  json::array out;
  for (const KernelId& id : state.kernels_on(agent.name)) {
    const auto* kernel = state.kernels.find(id);
    const auto* session = kernel == nullptr ? nullptr : state.sessions.find(kernel->session);
    if (session == nullptr || !may(actor, Noun::kAgent, Verb::kSee, session->owner->owner)) continue;
    const bool ending = session->terminating || session->rescheduling;
    out.push_back({{"id", to_string(id)},
                   {"name", kernel_name(*kernel)},
                   {"session", to_string(session->id)},
                   {"session_name", session->name},
                   {"user", session->owner->owner.user()},
                   {"state", ending ? "TERMINATING" : projections::name_of(kernel->state)},
                   {"resources", slots_to_json(kinds, kernel->role_spec().slots())},
                   {"devices", shares_to_json(kernel->devices)}});
  }
  return out;
}

// Whether its kernels cannot write more than they hold; null where it offers no disk. A process can.
json::value is_disk_enforced(const AgentRow& agent) {
  if (projections::capacity_of(agent.slots, kDiskSlot) == 0) return nullptr;
  return agent.backend != "process";
}

}  // namespace

void hide_machine(json::object& agent) {
  for (const char* member :
       {"backend", "version", "address", "incarnation", "generation", "joined_at", "unfit"})
    agent[member] = nullptr;
}

std::string kernel_name(const projections::KernelRow& kernel) {
  const bool known = kernel.spec != nullptr && static_cast<int>(kernel.role) < kernel.spec->spec.roles_size();
  return known ? kernel.hostname() : "kernel" + std::to_string(kernel.index);
}

bool is_schedulable(const AgentRow& agent) { return agent.takes_sessions(); }

std::vector<SlotAmount> total_capacity(const AgentRow& agent) {
  std::map<std::string, Amount> sums;
  for (const SlotAmount& entry : agent.slots) sums[entry.slot] += entry.amount;
  for (const auto& device : agent.devices)
    for (const SlotAmount& entry : device.slots) sums[entry.slot] += entry.amount;
  return in_order(sums);
}

std::vector<SlotAmount> total_taken(const projections::State& state, const AgentRow& agent) {
  std::map<std::string, Amount> sums;
  if (const AgentUse* use = state.occupancy().find(agent.name)) {
    for (const SlotAmount& entry : use->slots.entries()) sums[entry.slot] += entry.amount;
    for (const auto& [device, taken] : use->devices)
      for (const SlotAmount& entry : taken.entries()) sums[entry.slot] += entry.amount;
  }
  return in_order(sums);
}

json::object agent_to_json(const projections::State& state, const SlotKinds& kinds, const AgentRow& agent,
                           const projections::Actor& actor) {
  const AgentUse* use = state.occupancy().find(agent.name);
  json::object out{{"name", agent.name},
                   {"state", projections::name_of(agent.state)},
                   {"draining", agent.draining},
                   {"schedulable", is_schedulable(agent)},
                   {"fit", agent.unfit.empty()},
                   {"unfit", agent.unfit.empty() ? json::value(nullptr) : json::value(agent.unfit)},
                   {"group", agent.group},
                   {"architecture", agent.architecture},
                   {"backend", agent.backend},
                   {"version", agent.version},
                   {"address", agent.address},
                   {"incarnation", id_or_null(agent.incarnation)},
                   {"generation", agent.generation},
                   {"joined_at", time_or_null(agent.joined_at)},
                   {"containers", use == nullptr ? 0u : use->containers},
                   {"max_containers", agent.max_containers},
                   {"disk_enforced", is_disk_enforced(agent)}};
  out["slots"] = use_to_json(kinds, total_capacity(agent), total_taken(state, agent));
  out["devices"] = devices_to_json(kinds, agent, use);
  out["kernels"] = kernels_to_json(state, kinds, agent, actor);
  if (reach(actor, Noun::kAgent, Verb::kSee) != projections::Reach::kAll) hide_machine(out);
  return out;
}

}  // namespace berth::controller::api
