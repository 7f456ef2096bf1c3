// Rows of a scenario's resource groups.
#include <initializer_list>

#include "controller/scenario/rows.h"
#include "controller/scenario/session_mix.h"
#include "events/codec/words/enum_words.h"

namespace berth::placement {

namespace {

// The name under which `parse` reads the value.
template <class T>
const char* name_of(T value, bool (*parse)(std::string_view, T*), std::initializer_list<const char*> names) {
  for (const char* name : names) {
    T read{};
    if (parse(name, &read) && read == value) return name;
  }
  BERTH_CHECK(false, "every value has a name");
  return "";
}

void add_preemption(const PreemptionPolicy& policy, v1::Preemption* preemption) {
  preemption->set_enabled(policy.enabled);
  preemption->set_order(name_of(policy.order, parse_preempt_order, {"oldest", "newest", "fewest-sessions"}));
  preemption->set_mode(name_of(policy.mode, parse_preempt_mode, {"terminate", "reschedule"}));
  preemption->set_scope(*from_word<v1::ScopeKind>(
      name_of(policy.scope, parse_preempt_scope, {"user", "project", "domain", "resource-group"})));
  preemption->set_min_runtime_ms(policy.min_runtime / kMillisecond);
}

void add_slots(const Scenario& scenario, const GroupPolicy& policy, v1::ResourceGroupDefined* def) {
  for (const std::string& name : policy.slot_priority) def->add_slot_priority(name);
  for (const SlotDevicePolicy& entry : policy.devices) {
    v1::DevicePolicy* device = def->add_devices();
    device->set_slot(std::string(scenario.slot_types.slot_name(entry.slot)));
    device->set_spread(name_of(entry.policy.spread, parse_spread, {"even", "fill"}));
    device->set_quantum(entry.policy.quantum);
    device->set_allow_fragments(entry.policy.allow_fragments);
  }
  for (const std::vector<SlotId>& slots : policy.exclusive) {
    v1::SlotSet* set = def->add_exclusive();
    for (const SlotId slot : slots) set->add_slots(std::string(scenario.slot_types.slot_name(slot)));
  }
}

}  // namespace

projections::GroupRow group_row(const Scenario& scenario, const ScenarioGroup& group) {
  const GroupPolicy& policy = group.policy;
  projections::GroupRow row;
  row.def.set_name(group.name);
  row.def.set_order(name_of(policy.order, parse_order, {"fifo", "lifo", "drf", "fair-share", "backfill"}));
  row.def.set_head_of_line(
      name_of(policy.head_of_line, parse_head_of_line, {"strict", "skip-after-n", "greedy"}));
  row.def.set_skip_after(policy.skip_after);
  if (policy.skip_impossible) row.def.set_impossible("skip");
  row.def.set_select(name_of(policy.select, parse_select,
                             {"concentrated", "dispersed", "round-robin", "fgd", "balanced", "custom"}));
  row.def.set_custom(policy.custom);
  add_slots(scenario, policy, &row.def);
  add_preemption(policy.preemption, row.def.mutable_preemption());
  row.def.mutable_fair_share()->set_half_life_days(policy.fair_share.half_life_days);
  row.def.mutable_fair_share()->set_lookback_days(policy.fair_share.lookback_days);
  return row;
}

projections::LearnedRow learned_row(const Scenario& scenario, const ScenarioGroup& group) {
  projections::LearnedRow row;
  row.learned.set_group(group.name);
  for (const fragmentation::ClassShare& share : session_mix(scenario, group.name)) {
    v1::SelectionLearned::Class* counted = row.learned.add_classes();
    counted->set_cpu_milli(share.ask.cpu_milli);
    counted->set_gpus(share.ask.gpus);
    counted->set_gpu_milli(share.ask.gpu_milli);
    counted->set_count(share.count);
  }
  return row;
}

}  // namespace berth::placement
