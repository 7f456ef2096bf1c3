#include "controller/placement/model/catalog.h"

#include <algorithm>

#include "events/base/slots/slot_name.h"

namespace berth::placement {

namespace {

// By slot, one entry a slot, zeros dropped: not naming a slot and asking 0 of it are the same.
std::vector<SlotAmount> normalised(std::span<const SlotAmount> slots) {
  std::vector<SlotAmount> result;
  for (const SlotAmount& amount : slots) {
    if (amount.amount == 0) continue;
    const auto at = std::lower_bound(result.begin(), result.end(), amount.slot,
                                     [](const SlotAmount& a, SlotId slot) { return a.slot < slot; });
    if (at != result.end() && at->slot == amount.slot)
      at->amount += amount.amount;
    else
      result.insert(at, amount);
  }
  return result;
}

RefusalIndex share_refusal(Model& model, ClassKey key) {
  key.timeout_s = 0;
  const auto [found, is_new] = model.refusal_ids.try_emplace(std::move(key), kNothing);
  if (is_new && model.free_refusals.empty()) {
    found->second = static_cast<RefusalIndex>(model.refusals.size());
    model.refusals.emplace_back();
  } else if (is_new) {
    found->second = model.free_refusals.back();
    model.free_refusals.pop_back();
  }
  ++model.refusals[found->second].classes;
  return found->second;
}

void drop_refusal(Model& model, RefusalIndex refusal, ClassKey key) {
  BERTH_CHECK(model.refusals[refusal].classes > 0, "a refusal is dropped that no class has");
  if (--model.refusals[refusal].classes > 0) return;
  key.timeout_s = 0;
  model.refusal_ids.erase(key);
  model.refusals[refusal] = {};
  model.free_refusals.push_back(refusal);
}

// The class of that key, made if it is new; counts one pending session. Takes over a use of each requirement
// in it.
ClassIndex intern_key(Model& model, ClassKey key) {
  const auto found = model.class_ids.find(key);
  if (found != model.class_ids.end()) {
    for (const KernelCount& kernel : key.kernels) drop_requirement(model, kernel.requirement);
    ++model.classes[found->second].pending;
    return found->second;
  }
  ClassIndex index;
  if (model.free_classes.empty()) {
    index = static_cast<ClassIndex>(model.classes.size());
    model.classes.emplace_back();
  } else {
    index = model.free_classes.back();
    model.free_classes.pop_back();
  }
  SessionClass& made = model.classes[index] = SessionClass{};
  made.need = need_of(model, key.kernels);
  made.kernels = made.need.containers;
  made.pending = 1;
  made.key = key;
  made.refusal = share_refusal(model, key);
  if (key.waits_for_members()) ++model.groups[key.group].waiting_for_members;
  if (key.spreads_strictly()) model.strict_spreads[key.session_group].insert(index);
  model.class_ids.emplace(std::move(key), index);
  return index;
}

}  // namespace

RequirementIndex intern_requirement(Model& model, Requirement requirement) {
  requirement.slots = normalised(requirement.slots);
  const auto found = model.requirement_ids.find(requirement);
  if (found != model.requirement_ids.end()) {
    ++model.requirement_uses[found->second];
    return found->second;
  }
  RequirementIndex index;
  if (model.free_requirements.empty()) {
    index = static_cast<RequirementIndex>(model.requirements.size());
    model.requirements.emplace_back();
    model.requirement_uses.push_back(0);
  } else {
    index = model.free_requirements.back();
    model.free_requirements.pop_back();
  }
  model.requirement_uses[index] = 1;
  model.requirements[index] = requirement;
  model.requirement_ids.emplace(std::move(requirement), index);
  return index;
}

void drop_requirement(Model& model, RequirementIndex requirement) {
  BERTH_CHECK(model.requirement_uses[requirement] > 0, "a requirement is dropped that nobody uses");
  if (--model.requirement_uses[requirement] > 0) return;
  model.requirement_ids.erase(model.requirements[requirement]);
  model.free_requirements.push_back(requirement);
}

std::vector<std::uint32_t> intern_names(Model& model, const std::vector<std::string>& names) {
  std::vector<std::uint32_t> out;
  for (const std::string& name : names) out.push_back(model.intern_name(name));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

ClassIndex intern_class(Model& model, GroupIndex group, const PendingSpec& spec) {
  ClassKey key;
  key.group = group;
  key.mode = spec.mode;
  key.designated = spec.designated.agents;
  std::sort(key.designated.begin(), key.designated.end());
  key.strict = key.designated.empty() || spec.designated.strict;
  key.volumes = intern_names(model, spec.volumes);
  if (!spec.session_group.name.empty()) {
    key.session_group = model.intern_name(spec.session_group.name);
    key.rule = spec.session_group.rule;
    key.rule_strict = spec.session_group.strict;
  }
  key.failed_on = spec.failed_on;
  std::sort(key.failed_on.begin(), key.failed_on.end());
  for (const KernelSpec& kernel : spec.kernels) {
    key.kernels.push_back(
        {intern_requirement(model, {model.intern_name(kernel.arch), kernel.slots}), kernel.count});
  }
  if (model.groups[group].policy.order == Order::kBackfill) key.timeout_s = spec.timeout_s;
  return intern_key(model, std::move(key));
}

ClassIndex with_timeout(Model& model, ClassIndex session_class, std::uint32_t timeout_s) {
  ClassKey key = model.classes[session_class].key;
  if (key.timeout_s == timeout_s) return session_class;
  key.timeout_s = timeout_s;
  for (const KernelCount& kernel : key.kernels) ++model.requirement_uses[kernel.requirement];
  const ClassIndex moved = intern_key(model, std::move(key));
  drop_class(model, session_class);
  return moved;
}

void drop_class(Model& model, ClassIndex session_class) {
  SessionClass& dropped = model.classes[session_class];
  BERTH_CHECK(dropped.pending > 0, "a class is dropped in which no session waits");
  if (--dropped.pending > 0) return;
  if (dropped.key.waits_for_members()) --model.groups[dropped.key.group].waiting_for_members;
  drop_refusal(model, dropped.refusal, dropped.key);
  const auto spreads = model.strict_spreads.find(dropped.key.session_group);
  if (spreads != model.strict_spreads.end() && spreads->second.erase(session_class) > 0 &&
      spreads->second.empty())
    model.strict_spreads.erase(spreads);
  for (const KernelCount& kernel : dropped.key.kernels) drop_requirement(model, kernel.requirement);
  model.class_ids.erase(dropped.key);
  model.free_classes.push_back(session_class);
}

Need need_of(const Model& model, const std::vector<KernelCount>& kernels) {
  Need need;
  need.kernels = kernels;
  std::vector<SlotAmount> all;
  for (const KernelCount& kernel : kernels) {
    const Requirement& requirement = model.requirements[kernel.requirement];
    const bool two = need.arch != 0 && requirement.arch != 0 && need.arch != requirement.arch;
    if (two)
      need.arch = kNothing;  // no agent has both
    else if (need.arch == 0)
      need.arch = requirement.arch;
    need.containers += kernel.count;
    for (const SlotAmount& slot : requirement.slots) {
      all.push_back({slot.slot, slot.amount * static_cast<Amount>(kernel.count)});
    }
  }
  need.sums = normalised(all);
  return need;
}

Need need_of(const Model& model, RequirementIndex requirement) {
  return need_of(model, std::vector<KernelCount>{{requirement, 1}});
}

DevicePolicy device_policy(const Model& model, const Group& group, SlotId slot) {
  for (const SlotDevicePolicy& entry : group.policy.devices) {
    if (entry.slot == slot) return entry.policy;
  }
  return default_device_policy(model.slots[slot].name, model.slots[slot].kind);
}

bool is_rated(const Model& model, const GroupPolicy& policy, SlotId slot) {
  const SlotType& type = model.slots[slot];
  if (type.name != kDiskSlot || type.kind != SlotKind::kBytes) return true;
  return std::find(policy.slot_priority.begin(), policy.slot_priority.end(), kDiskSlot) !=
         policy.slot_priority.end();
}

bool is_accelerator(std::string_view slot_name) { return slot_name.find('.') != std::string_view::npos; }

Reason check_shape(const Model& model, const Group& group, std::span<const SlotAmount> slots) {
  for (const SlotAmount& asked : slots) {
    if (asked.slot >= model.slots.size()) return {Code::kUnknownSlot, asked.slot};
    const bool unique = model.slots[asked.slot].kind == SlotKind::kUnique;
    if (asked.amount < 0 || (unique && asked.amount != 0 && asked.amount != kUnit))
      return {Code::kInvalidAmount, asked.slot};
  }
  for (const std::vector<SlotId>& set : group.policy.exclusive) {
    SlotId first = kNoSlot;
    for (const SlotAmount& asked : slots) {
      if (asked.amount == 0 || std::find(set.begin(), set.end(), asked.slot) == set.end()) continue;
      if (first != kNoSlot && first != asked.slot) return {Code::kExclusiveSlots, asked.slot};
      first = asked.slot;
    }
  }
  return {};
}

}  // namespace berth::placement
