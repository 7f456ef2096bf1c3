#include <algorithm>

#include "controller/scenario/parse.h"

namespace berth::placement {

namespace json = boost::json;

namespace {

void read_devices(JsonObject& object, const Scenario& scenario, GroupPolicy* policy) {
  object.members("devices", [&](std::string_view name, const json::value& value, const std::string& place) {
    JsonObject device(object.document(), value, place);
    const std::optional<SlotId> slot = scenario.slot_types.find_slot(name);
    if (!slot) return object.document().fail(place, "there is no such slot type in \"slots\"");
    const SlotKind kind = scenario.slot_types.slot_kind(*slot);
    SlotDevicePolicy made{*slot, default_device_policy(name, kind)};
    parse_spread(device.word("spread", "even", {"even", "fill"}), &made.policy.spread);
    if (device.has("quantum")) {
      const Result<Amount> quantum = parse_amount(kind, device.text("quantum", ""));
      if (!quantum.ok())
        device.fail("quantum", quantum.error().message);
      else if (*quantum <= 0)
        device.fail("quantum", "must be more than 0");
      else
        made.policy.quantum = *quantum;
    }
    made.policy.allow_fragments = device.boolean("allow_fragments", false);
    device.finish();
    policy->devices.push_back(made);
  });
}

void read_head_of_line(JsonObject& object, GroupPolicy* policy) {
  JsonObject head = object.object("head_of_line");
  parse_head_of_line(head.word("policy", "skip-after-n", {"strict", "skip-after-n", "greedy"}),
                     &policy->head_of_line);
  policy->skip_after = static_cast<std::uint32_t>(head.integer("n", 0, 0, 1'000'000));
  head.finish();
}

void read_preemption(JsonObject& object, PreemptionPolicy* policy) {
  JsonObject preemption = object.object("preemption");
  policy->enabled = preemption.boolean("enabled", false);
  parse_preempt_order(preemption.word("order", "oldest", {"oldest", "newest", "fewest-sessions"}),
                      &policy->order);
  parse_preempt_mode(preemption.word("mode", "terminate", {"terminate", "reschedule"}), &policy->mode);
  parse_preempt_scope(preemption.word("scope", "user", {"user", "project", "domain", "resource-group"}),
                      &policy->scope);
  policy->min_runtime = preemption.integer("min_runtime_s", 0, 0, INT32_MAX) * kSecond;
  preemption.finish();
}

}  // namespace

ScenarioGroup read_group(JsonObject object, Scenario& scenario) {
  ScenarioGroup group;
  group.name = object.text("name", "default");
  if (group.name.empty()) object.fail("name", "is empty");
  const std::string order = object.word("order", "fifo", {"fifo", "lifo", "drf", "fair-share", "backfill"});
  parse_order(order, &group.policy.order);
  const std::string select =
      object.word("select", "concentrated",
                  {"concentrated", "dispersed", "round-robin", "fgd", "ours", "balanced", "custom"});
  parse_select(select, &group.policy.select);
  if (object.has("custom") || group.policy.select == Select::kCustom)
    group.policy.custom = object.name("custom");
  group.round_robin_index = static_cast<std::uint64_t>(object.integer("round_robin_index", 0, 0, INT32_MAX));
  read_head_of_line(object, &group.policy);
  group.policy.skip_impossible = object.word("impossible", "block", {"block", "skip"}) == "skip";
  if (object.has("slot_priority")) group.policy.slot_priority = object.texts("slot_priority");
  read_devices(object, scenario, &group.policy);
  read_preemption(object, &group.policy.preemption);
  read_fair_share(object, scenario, &group);
  group.pending_timeout_s = object.integer("pending_timeout_s", 0, 0, INT32_MAX);
  group.max_attempts =
      object.says_null("max_attempts") ? INT64_MAX : object.integer("max_attempts", 5, 1, INT32_MAX);
  object.finish();
  return group;
}

namespace {

// What is taken must be there.
void check_used(JsonObject& object, const Cluster& cluster, const std::vector<SlotAmount>& used,
                const std::vector<SlotAmount>& slots, const char* hint) {
  for (const SlotAmount& one : used) {
    const bool has =
        std::any_of(slots.begin(), slots.end(), [&](const SlotAmount& s) { return s.slot == one.slot; });
    const std::string key = "used." + std::string(cluster.slot_name(one.slot));
    if (!has && one.amount > 0) object.fail(key, std::string("is not among its \"slots\"") + hint);
  }
}

}  // namespace

AgentSpec read_agent(JsonObject object, const Scenario& scenario) {
  AgentSpec agent;
  const Cluster& cluster = scenario.slot_types;
  agent.id = object.name("id");
  agent.group = object.text("group", "default");
  agent.arch = object.text("arch", "x86_64");
  agent.slots = slot_amounts(cluster, read_slots(object, "slots", cluster));
  agent.used = slot_amounts(cluster, read_slots(object, "used", cluster));
  check_used(object, cluster, agent.used, agent.slots, "; what devices have is taken at the device");
  object.each("devices", [&](const json::value& value, const std::string& place) {
    JsonObject device(object.document(), value, place);
    DeviceSpec made;
    made.id = device.name("id");
    made.numa = static_cast<std::int32_t>(device.integer("numa", 0, -1, 65'535));
    made.slots = slot_amounts(cluster, read_slots(device, "slots", cluster));
    made.used = slot_amounts(cluster, read_slots(device, "used", cluster));
    check_used(device, cluster, made.used, made.slots, "");
    device.finish();
    for (const DeviceSpec& other : agent.devices) {
      if (other.id == made.id)
        object.document().fail(place + ".id", "there are two devices \"" + made.id + "\"");
    }
    agent.devices.push_back(std::move(made));
  });
  agent.containers = static_cast<std::uint32_t>(object.integer("containers", 0, 0, 1'000'000));
  agent.max_containers = static_cast<std::uint32_t>(object.integer("max_containers", 100, 0, 1'000'000));
  agent.draining = object.boolean("draining", false);
  object.finish();
  return agent;
}

}  // namespace berth::placement
