#include "controller/decide/session_spec.h"

#include <algorithm>

#include "events/base/slots/slot_name.h"
#include "projections/missing_image.h"

namespace berth::controller {
namespace {

using projections::State;

constexpr std::int32_t kPriorityDefault = 10;
constexpr Amount kShmDefault = Amount{64} << 20;
constexpr Amount kDiskDefault = Amount{4} << 30;  // of a kernel, where neither session nor group says more
constexpr std::uint32_t kAttemptsDefault = 5;
constexpr std::string_view kMinimumLabel = "berth.min.";

const v1::ImageRegistered* image_of(const State& state, const v1::SessionSpec& spec,
                                    const v1::RoleSpec& role) {
  const auto* row = state.images.find(projections::image_of(spec, role));
  return row == nullptr ? nullptr : &row->def;
}

// A label's amount of a slot; nothing where the slot is not registered or the text is no amount.
std::optional<Amount> label_amount(const State& state, const std::string& slot, const std::string& text) {
  const auto* type = state.slot_types.find(slot);
  if (type == nullptr) return std::nullopt;
  const auto amount = parse_amount(static_cast<SlotKind>(type->def.kind()), text);
  return amount.ok() ? std::optional<Amount>(*amount) : std::nullopt;
}

// Calls f(slot, least) for what the image wants at least of each slot; shm comes on top of its memory.
template <class F>
void each_minimum(const State& state, const v1::SessionSpec& spec, const v1::RoleSpec& role, F f) {
  const auto* image = image_of(state, spec, role);
  if (image == nullptr) return;
  for (const auto& label : image->labels()) {
    if (!label.key().starts_with(kMinimumLabel)) continue;
    const std::string slot = label.key().substr(kMinimumLabel.size());
    if (const auto least = label_amount(state, slot, label.value()))
      f(slot, *least + (slot == "mem" ? spec.shm() : 0));
  }
}

const v1::SlotAmount* find_slot(const v1::RoleSpec& role, std::string_view slot) {
  const auto it =
      std::find_if(role.slots().begin(), role.slots().end(), [&](const auto& s) { return s.slot() == slot; });
  return it == role.slots().end() ? nullptr : &*it;
}

Amount wanted_shm(const State& state, const v1::SessionSpec& spec) {
  if (const auto* image = spec.roles().empty() ? nullptr : image_of(state, spec, spec.roles(0)))
    for (const auto& label : image->labels())
      if (label.key() == "berth.shm")
        if (const auto amount = label_amount(state, "mem", label.value()); amount && *amount > 0)
          return *amount;
  const auto* group = state.groups.find(spec.group());
  return group != nullptr && group->def.shm() > 0 ? group->def.shm() : kShmDefault;
}

// A default gives way: it is counted in mem, of which the programs have at least half.
Amount default_shm(const State& state, const v1::SessionSpec& spec) {
  Amount shm = wanted_shm(state, spec);
  for (const auto& role : spec.roles())
    if (const auto* mem = find_slot(role, "mem"); mem != nullptr && mem->amount() > 0)
      shm = std::min(shm, mem->amount() / 2);
  return shm;
}

// What each kernel of the session may write if the session does not say. Nothing where some agent of the
// group does not report `disk`: the session could not start there. An amount of 0 says nothing.
Amount default_disk(const State& state, const v1::SessionSpec& spec) {
  const auto* type = state.slot_types.find(std::string(kDiskSlot));
  const projections::GroupSlots& slots = state.group_slots(spec.group());
  const auto reports = slots.slots.find(std::string(kDiskSlot));
  const bool all = reports != slots.slots.end() && reports->second == slots.agents;
  if (!all || type == nullptr || static_cast<SlotKind>(type->def.kind()) != SlotKind::kBytes) return 0;
  const auto* group = state.groups.find(spec.group());
  return group != nullptr && group->def.disk() > 0 ? group->def.disk() : kDiskDefault;
}

void fill_disk(Amount amount, v1::RoleSpec& role) {
  for (auto& slot : *role.mutable_slots()) {
    if (slot.slot() != kDiskSlot) continue;
    if (slot.amount() == 0) slot.set_amount(amount);
    return;
  }
  auto* filled = role.add_slots();
  filled->set_slot(std::string(kDiskSlot));
  filled->set_amount(amount);
}

void complete_role(const State& state, const v1::SessionSpec& spec, v1::RoleSpec& role) {
  if (role.role().empty()) role.set_role("main");
  if (role.count() == 0) role.set_count(1);
  if (const auto* image = role.image().empty() ? nullptr : image_of(state, spec, role);
      image != nullptr && role.architecture().empty())
    role.set_architecture(image->architecture());
  each_minimum(state, spec, role, [&role](const std::string& slot, Amount least) {
    if ((slot != "cpu" && slot != "mem") || find_slot(role, slot) != nullptr) return;
    auto* filled = role.add_slots();
    filled->set_slot(slot);
    filled->set_amount(least);
  });
  if (const Amount disk = default_disk(state, spec); disk > 0) fill_disk(disk, role);
  std::sort(role.mutable_slots()->begin(), role.mutable_slots()->end(),
            [](const auto& a, const auto& b) { return a.slot() < b.slot(); });
}

// An image may be left out only where some agent of the group can do without: plain processes have none.
std::optional<Refusal> check_image(const State& state, const v1::SessionSpec& spec) {
  const bool complete = std::all_of(spec.roles().begin(), spec.roles().end(), [&](const auto& role) {
    return !spec.image().empty() || !role.image().empty();
  });
  if (complete) return std::nullopt;
  bool containers_only = true;
  state.agents.for_each_unordered([&](const projections::AgentRow& agent) {
    if (agent.group == spec.group() && agent.backend != "oci") containers_only = false;
  });
  if (!containers_only) return std::nullopt;
  return Refusal{"image-required",
                 "resource group " + spec.group() + " runs containers, and no image is named",
                 "berth image ls; then for example --image python:3.11"};
}

Refusal not_served(const v1::SessionSpec& spec, const std::string& slot,
                   const projections::GroupSlots& group) {
  std::string known;
  for (const auto& [name, agents] : group.slots) known += (known.empty() ? "it has " : ", ") + name;
  return {"slot-not-served", "no agent of resource group " + spec.group() + " has " + slot, known};
}

}  // namespace

v1::SessionSpec complete(const State& state, v1::SessionSpec spec) {
  if (spec.type() == v1::SESSION_TYPE_UNSPECIFIED) spec.set_type(v1::INTERACTIVE);
  if (spec.group().empty()) spec.set_group("default");
  if (spec.priority() == 0) spec.set_priority(kPriorityDefault);
  if (spec.shm() == 0) spec.set_shm(default_shm(state, spec));
  if (spec.mode() == v1::CLUSTER_MODE_UNSPECIFIED) spec.set_mode(v1::SINGLE_NODE);
  if (spec.agents_size() > 0 && spec.agent_rule() == v1::AGENT_RULE_UNSPECIFIED)
    spec.set_agent_rule(v1::AGENT_STRICT);
  const auto* group = state.groups.find(spec.group());
  if (spec.max_attempts() == 0)
    spec.set_max_attempts(group != nullptr && group->def.max_attempts() != 0 ? group->def.max_attempts()
                                                                             : kAttemptsDefault);
  if (spec.pending_timeout_ms() == 0 && group != nullptr)
    spec.set_pending_timeout_ms(group->def.pending_timeout_ms());
  if (const auto* image = state.images.find(spec.image()); image != nullptr && spec.architecture().empty())
    spec.set_architecture(image->def.architecture());
  for (auto& role : *spec.mutable_roles()) complete_role(state, spec, role);
  return spec;
}

std::optional<Refusal> check_served(const State& state, const v1::SessionSpec& spec) {
  const projections::GroupSlots& group = state.group_slots(spec.group());
  if (group.agents == 0)
    return Refusal{"no-agents", "resource group " + spec.group() + " has no agents",
                   "berth agent ls; berth group ls"};
  if (auto refusal = check_image(state, spec)) return refusal;
  for (int i = 0; i < spec.roles_size(); ++i) {
    const auto& role = spec.roles(i);
    for (int j = 0; j < i; ++j)
      if (spec.roles(j).role() == role.role())
        return Refusal{"invalid-spec", "role " + role.role() + " is named twice", ""};
    for (const auto& slot : role.slots())
      if (slot.amount() > 0 && !group.slots.contains(slot.slot()))
        return not_served(spec, slot.slot(), group);
    std::optional<Refusal> below;
    each_minimum(state, spec, role, [&](const std::string& slot, Amount least) {
      const auto* asked = find_slot(role, slot);
      const Amount amount = asked != nullptr ? asked->amount() : 0;
      if (below || amount >= least) return;
      const auto kind = static_cast<SlotKind>(state.slot_types.find(slot)->def.kind());
      below = Refusal{
          "below-image-minimum",
          "role " + role.role() + ": its image needs " + slot + " " + format_amount_human(kind, least) +
              ", and " + format_amount_human(kind, amount) + " is asked for",
          slot == "mem" ? "shm is counted in mem, on top of what the image needs" : "ask for at least that"};
    });
    if (below) return below;
  }
  return std::nullopt;
}

}  // namespace berth::controller
