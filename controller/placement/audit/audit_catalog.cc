// Interned requirements and classes: each is counted as often as it is used, and found by its key.
#include <map>
#include <set>

#include "controller/placement/audit/parts.h"

namespace berth::placement::audit {

namespace {

std::string class_text(ClassIndex index) { return "class " + std::to_string(index); }

std::string check_class(const Model& model, ClassIndex index, std::uint32_t pending) {
  const SessionClass& checked = model.classes[index];
  const auto found = model.class_ids.find(checked.key);
  if (found == model.class_ids.end() || found->second != index)
    return class_text(index) + ": not found by its key";
  if (checked.key.group >= model.groups.size()) return class_text(index) + ": of a group that is not there";
  if (auto text = differs(class_text(index), "number of pending sessions", checked.pending, pending);
      !text.empty())
    return text;
  std::uint32_t kernels = 0;
  for (const KernelCount& part : checked.key.kernels) kernels += part.count;
  if (auto text = differs(class_text(index), "number of kernels", checked.kernels, kernels); !text.empty())
    return text;
  ClassKey shared = checked.key;
  shared.timeout_s = 0;
  const auto refusal = model.refusal_ids.find(shared);
  if (refusal == model.refusal_ids.end() || refusal->second != checked.refusal ||
      checked.refusal >= model.refusals.size())
    return class_text(index) + ": its refusal is not the one of its key";
  const Refusal& known = model.refusals[checked.refusal];
  const Group& group = model.groups[checked.key.group];
  if (known.refused_at != Refusal::kNever && known.refused_at > group.gains)
    return class_text(index) + ": refused after a gain that has not come";
  if (known.explained_at != Refusal::kNever && known.explained_at > group.changes)
    return class_text(index) + ": its refusal was explained after a change that has not come";
  return {};
}

// What follows from all classes together.
struct ClassCounts {
  std::vector<std::uint32_t> by_refusal;
  std::vector<std::size_t> waiting_for_members;  // by group
  std::map<std::uint32_t, std::set<ClassIndex>> strict_spreads;
};

std::string check_counts(const Model& model, const ClassCounts& counts) {
  for (GroupIndex i = 0; i < model.groups.size(); ++i) {
    if (auto text = differs("group " + model.groups[i].name, "number of classes that wait for members",
                            model.groups[i].waiting_for_members, counts.waiting_for_members[i]);
        !text.empty())
      return text;
  }
  for (RefusalIndex i = 0; i < model.refusals.size(); ++i) {
    if (auto text = differs("refusal " + std::to_string(i), "number of classes", model.refusals[i].classes,
                            counts.by_refusal[i]);
        !text.empty())
      return text;
  }
  if (model.strict_spreads != counts.strict_spreads) return "classes: strict spreads are miscounted";
  return differs("refusals", "number that is used or free",
                 model.refusal_ids.size() + model.free_refusals.size(), model.refusals.size());
}

}  // namespace

std::string classes(const Model& model) {
  bool wrong = false;
  const std::vector<bool> is_free = free_rows(model.classes.size(), model.free_classes, &wrong);
  if (wrong) return "classes: a free row is listed twice";
  if (auto text = differs("classes", "number that is used or free",
                          model.class_ids.size() + model.free_classes.size(), model.classes.size());
      !text.empty())
    return text;
  std::vector<std::uint32_t> pending(model.classes.size(), 0);
  for (const Pending& session : model.pending)
    if (session.session_class < pending.size()) ++pending[session.session_class];
  ClassCounts counts;
  counts.by_refusal.assign(model.refusals.size(), 0);
  counts.waiting_for_members.assign(model.groups.size(), 0);
  for (ClassIndex index = 0; index < model.classes.size(); ++index) {
    if (is_free[index]) continue;
    if (auto text = check_class(model, index, pending[index]); !text.empty()) return text;
    const ClassKey& key = model.classes[index].key;
    ++counts.by_refusal[model.classes[index].refusal];
    if (key.rule_strict && key.rule == GroupRule::kPack) ++counts.waiting_for_members[key.group];
    if (key.rule_strict && key.rule == GroupRule::kSpread)
      counts.strict_spreads[key.session_group].insert(index);
  }
  return check_counts(model, counts);
}

std::string requirements(const Model& model) {
  bool wrong = false;
  const std::vector<bool> is_free = free_rows(model.requirements.size(), model.free_requirements, &wrong);
  if (wrong) return "requirements: a free row is listed twice";
  std::vector<std::uint32_t> uses(model.requirements.size(), 0);
  const auto count = [&](RequirementIndex used) {
    if (used < uses.size()) ++uses[used];
    wrong = wrong || used >= uses.size();
  };
  for (const auto& [key, index] : model.class_ids)
    for (const KernelCount& part : key.kernels) count(part.requirement);
  for (const Live& live : model.live)
    for (const Live::Kernel& kernel : live.kernels.view()) count(kernel.requirement);
  for (const auto& [id, held] : model.held_places)
    for (const Live::Kernel& kernel : held.kernels) count(kernel.requirement);
  if (wrong) return "requirements: one is used that is not there";
  for (RequirementIndex index = 0; index < uses.size(); ++index) {
    const std::string where = "requirement " + std::to_string(index);
    if (auto text = differs(where, "number of uses", model.requirement_uses[index], uses[index]);
        !text.empty())
      return text;
    if (is_free[index] != (uses[index] == 0)) return where + ": free and used, or neither";
    if (is_free[index]) continue;
    const auto found = model.requirement_ids.find(model.requirements[index]);
    if (found == model.requirement_ids.end() || found->second != index)
      return where + ": not found by its values";
  }
  return differs("requirements", "number that is used or free",
                 model.requirement_ids.size() + model.free_requirements.size(), model.requirements.size());
}

}  // namespace berth::placement::audit
