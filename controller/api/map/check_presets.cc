#include "controller/api/map/check_presets.h"

#include <algorithm>

#include "controller/api/map/agent_json.h"
#include "controller/api/map/json_reader.h"
#include "controller/api/map/json_values.h"
#include "events/codec/words/enum_words.h"
#include "projections/limits.h"

namespace berth::controller::api {
namespace {

namespace json = boost::json;
using projections::AgentRow;
using projections::State;

Amount free_on(const State& state, const AgentRow& agent, const std::string& slot) {
  const auto amount_in = [&slot](const std::vector<projections::SlotAmount>& slots) {
    return projections::capacity_of(slots, slot);
  };
  return amount_in(total_capacity(agent)) - amount_in(total_taken(state, agent));
}

std::vector<const AgentRow*> agents_of(const State& state, const std::string& group) {
  std::vector<const AgentRow*> agents;
  for (const std::string& name : state.agents.sorted_keys()) {
    const AgentRow* agent = state.agents.find(name);
    if (agent->group == group && is_schedulable(*agent)) agents.push_back(agent);
  }
  return agents;
}

void add_held(const State& state, const v1::Owner& owner, const std::string& group,
              std::map<std::string, Amount>& held) {
  state.kernels.for_each_unordered(
      [&](const projections::KernelRow& kernel) {  // sums: the order does not matter
        if (!kernel.holds_slots() || kernel.owner->owner.user() != owner.user()) return;
        const AgentRow* agent = state.agents.find(kernel.agent);
        if ((agent != nullptr ? agent->group : kernel.spec->spec.group()) != group) return;
        for (const auto& slot : kernel.role_spec().slots()) held[slot.slot()] += slot.amount();
      });
}

bool is_allocatable(const State& state, const v1::Owner& owner, const std::string& group,
                    const std::vector<const AgentRow*>& agents, const v1::PresetDefined& preset) {
  v1::SessionSpec spec;
  spec.set_type(v1::INTERACTIVE);
  spec.set_group(group);
  auto* role = spec.add_roles();
  role->set_count(1);
  *role->mutable_slots() = preset.slots();
  const projections::SharedOwner shared{owner, {}, projections::scopes_of(owner)};
  if (!projections::excess_when_placed(state, shared, spec).empty()) return false;
  return std::any_of(agents.begin(), agents.end(), [&](const AgentRow* agent) {
    return std::all_of(preset.slots().begin(), preset.slots().end(), [&](const auto& slot) {
      return free_on(state, *agent, slot.slot()) >= slot.amount();
    });
  });
}

json::object amounts_to_json(const SlotKinds& kinds, const std::map<std::string, Amount>& amounts) {
  json::object out;
  for (const auto& [slot, amount] : amounts) out[slot] = amount_text(kinds, slot, amount);
  return out;
}

}  // namespace

std::optional<Amount> left_by_limits(const State& state, const v1::Owner& owner, const std::string& slot) {
  std::optional<Amount> least;
  for (const std::string& scope : projections::scopes_of(owner)) {
    const auto left = projections::left_of(state, scope, slot);
    if (left && (!least || *left < *least)) least = left;
  }
  return least;
}

PresetReport check_presets(const State& state, const v1::Owner& owner, const std::string& group) {
  PresetReport report;
  const auto agents = agents_of(state, group);
  for (const std::string& slot : state.slot_types.sorted_keys()) {
    report.held[slot] = 0;
    Amount free = 0;
    for (const AgentRow* agent : agents) free += std::max<Amount>(0, free_on(state, *agent, slot));
    report.remaining[slot] = std::min(free, left_by_limits(state, owner, slot).value_or(free));
  }
  add_held(state, owner, group, report.held);
  const auto scopes = projections::scopes_of(owner);
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    if (scopes[i].empty()) continue;
    const auto slash = scopes[i].find('/');
    const auto scope = from_word<v1::ScopeKind>(scopes[i].substr(0, slash));
    ScopeBalance balance{*scope, scopes[i].substr(slash + 1), {}, {}};
    for (const std::string& slot : state.slot_types.sorted_keys()) {
      balance.held[slot] = state.usage().find(scopes[i]).slots.get(slot);
      balance.remaining[slot] = projections::left_of(state, scopes[i], slot);
    }
    report.scopes.push_back(std::move(balance));
  }
  for (const std::string& name : state.presets.sorted_keys()) {
    const v1::PresetDefined& preset = state.presets.find(name)->def;
    report.presets.push_back({preset, is_allocatable(state, owner, group, agents, preset)});
  }
  return report;
}

json::object preset_to_json(const SlotKinds& kinds, const v1::PresetDefined& preset) {
  return {{"name", preset.name()},
          {"resources", slots_to_json(kinds, preset.slots())},
          {"shm", preset.shm() == 0 ? json::value(nullptr) : json::value(std::to_string(preset.shm()))}};
}

json::object preset_report_to_json(const SlotKinds& kinds, const PresetReport& report) {
  json::array presets, scopes;
  for (const PresetCheck& check : report.presets) {
    json::object preset = preset_to_json(kinds, check.preset);
    preset["allocatable"] = check.allocatable;
    presets.push_back(std::move(preset));
  }
  for (const ScopeBalance& balance : report.scopes) {
    json::object remaining;
    for (const auto& [slot, amount] : balance.remaining)
      remaining[slot] = amount ? json::value(amount_text(kinds, slot, *amount)) : json::value(nullptr);
    scopes.push_back({{"scope", word(balance.scope)},
                      {"id", balance.id},
                      {"using", amounts_to_json(kinds, balance.held)},
                      {"remaining", std::move(remaining)}});
  }
  return {{"using", amounts_to_json(kinds, report.held)},
          {"remaining", amounts_to_json(kinds, report.remaining)},
          {"scopes", std::move(scopes)},
          {"presets", std::move(presets)}};
}

v1::PresetDefined read_preset(const json::object& body, const SlotKinds& kinds, Errors& errors) {
  ObjectReader in(body, "", errors);
  v1::PresetDefined preset;
  const auto name = in.name("name");
  in.require("name", name.has_value());
  preset.set_name(name.value_or(""));
  const json::object* resources = in.object("resources");
  in.require("resources", resources != nullptr);
  if (resources != nullptr)
    for (auto& slot : slots_of(kinds, *resources, in.place_of("resources"), errors)) {
      if (slot.amount() == 0)
        errors.add("invalid-amount", in.place_of("resources") + "." + slot.slot(), "must be more than 0",
                   "leave out what the preset does not ask for");
      *preset.add_slots() = std::move(slot);
    }
  if (const json::value* shm = in.raw("shm")) {
    const auto amount = amount_of(SlotKind::kBytes, *shm);
    if (amount.ok())
      preset.set_shm(*amount);
    else
      in.fail(amount.error().code, "shm", amount.error().message, amount.error().hint);
  }
  in.finish();
  return preset;
}

}  // namespace berth::controller::api
