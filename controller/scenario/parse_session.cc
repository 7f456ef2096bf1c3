#include "controller/scenario/parse.h"

namespace berth::placement {

namespace json = boost::json;

namespace {

const std::vector<std::string_view> kStates{"PENDING",      "RESERVED",   "SCHEDULED",       "PREPARING",
                                            "PULLING",      "PREPARED",   "CREATING",        "RUNNING",
                                            "TERMINATING",  "TERMINATED", "CANCELLED",       "ERROR",
                                            "RESCHEDULING", "RESTARTING", "RUNNING_DEGRADED"};

ScenarioKernels read_kernels(JsonObject object, const Scenario& scenario, bool first,
                             ScenarioSession* session) {
  ScenarioKernels kernels;
  kernels.role = object.text("role", first ? "main" : "sub");
  if (kernels.role.empty()) object.fail("role", "is empty");
  kernels.count = static_cast<std::uint32_t>(object.integer("count", 1, 1, 10'000));
  kernels.slots = read_slots(object, "slots", scenario.slot_types, &session->fault_slot);
  kernels.arch = object.text("arch", "x86_64");
  object.finish();
  return kernels;
}

ScenarioPlacement read_placement(JsonObject object, const Scenario& scenario) {
  ScenarioPlacement placement;
  placement.kernel = object.name("kernel");
  placement.agent = object.name("agent");
  object.members("devices", [&](std::string_view device, const json::value&, const std::string&) {
    JsonObject devices = object.object("devices");
    placement.devices[std::string(device)] = read_slots(devices, device, scenario.slot_types);
  });
  object.finish();
  return placement;
}

SessionGroup read_session_group(JsonObject& object) {
  SessionGroup group;
  if (!object.has("session_group")) return group;
  JsonObject session_group = object.object("session_group");
  group.name = session_group.name("name");
  const bool spread = session_group.word("rule", "spread", {"spread", "pack"}) == "spread";
  group.rule = spread ? GroupRule::kSpread : GroupRule::kPack;
  group.strict = session_group.boolean("strict", false);
  session_group.finish();
  return group;
}

void read_all_kernels(JsonObject& object, const Scenario& scenario, ScenarioSession* session) {
  if (object.has("slots")) {
    if (object.has("kernels")) object.fail("slots", "stands beside \"kernels\": one of them only");
    ScenarioKernels main;
    main.role = "main";
    main.arch = "x86_64";
    main.slots = read_slots(object, "slots", scenario.slot_types, &session->fault_slot);
    session->kernels.push_back(std::move(main));
    return;
  }
  object.each("kernels", [&](const json::value& value, const std::string& place) {
    session->kernels.push_back(read_kernels(JsonObject(object.document(), value, place), scenario,
                                            session->kernels.empty(), session));
  });
  if (session->kernels.empty()) object.fail("kernels", "a session has at least one kernel");
}

}  // namespace

ScenarioSession read_session(JsonObject object, const Scenario& scenario) {
  ScenarioSession session;
  session.id = object.name("id");
  session.group = object.text("group", "default");
  session.domain = object.text("domain", "default");
  session.project = object.text("project", "default");
  session.user = object.text("user", "default");
  session.keypair = object.text("keypair", "default");
  session.type = object.word("type", "batch", {"batch", "interactive", "inference", "system"});
  const std::string mode = object.word("mode", "single-node", {"single-node", "multi-node"});
  session.mode = mode == "single-node" ? Mode::kSingleNode : Mode::kMultiNode;
  session.priority = static_cast<std::int32_t>(object.integer("priority", 10, INT32_MIN, INT32_MAX));
  session.created = object.time("created").value_or(scenario.now);
  session.start_time = object.time("start_time");
  read_all_kernels(object, scenario, &session);
  session.state = object.word("state", "PENDING", kStates);
  if (object.has("result")) session.result = object.word("result", "SUCCESS", {"SUCCESS", "FAILED"});
  object.each("placed", [&](const json::value& value, const std::string& place) {
    session.placed.push_back(read_placement(JsonObject(object.document(), value, place), scenario));
  });
  session.retries = static_cast<std::uint32_t>(object.integer("retries", 0, 0, INT32_MAX));
  session.timeout_s = static_cast<std::uint32_t>(object.integer("timeout_s", 0, 0, INT32_MAX));
  session.attempts = object.integer("attempts", 0, 0, INT32_MAX);
  JsonObject agents = object.object("agents");
  session.designated.agents = agents.texts("ids");
  session.designated.strict = agents.word("rule", "strict", {"strict", "preferred"}) == "strict";
  agents.finish();
  session.session_group = read_session_group(object);
  session.failed_on = object.texts("failed_on");
  session.preemptible = object.boolean("preemptible", true);
  session.job_priority = static_cast<std::int32_t>(object.integer("job_priority", 0, INT32_MIN, INT32_MAX));
  session.started = object.time("started");
  session.depends_on = object.texts("depends_on");
  session.cancel_on_dependency_failure =
      object.word("on_dependency_failure", "cancel", {"cancel", "wait"}) == "cancel";
  object.finish();
  return session;
}

std::vector<std::string> kernel_names(const ScenarioSession& session) {
  std::vector<std::string> names;
  std::map<std::string, int> count;
  for (const ScenarioKernels& kernels : session.kernels) {
    for (std::uint32_t i = 0; i < kernels.count; ++i)
      names.push_back(kernels.role + std::to_string(++count[kernels.role]));
  }
  return names;
}

}  // namespace berth::placement
