// What a run decided, as JSON and as tables.
#include <algorithm>

#include "controller/placement/select/custom/policy.h"
#include "controller/scenario/parse.h"
#include "controller/scenario/run.h"
#include "controller/scenario/times.h"
#include "events/codec/words/enum_words.h"

namespace berth::placement {

namespace json = boost::json;

namespace {

std::string amount_text(const Cluster& cluster, std::string_view slot, Amount amount) {
  const SlotKind kind = cluster.slot_kind(*cluster.find_slot(slot));
  return amount < 0 ? "-" + format_amount_human(kind, -amount) : format_amount_human(kind, amount);
}

json::object placement_json(const Cluster& cluster, const std::string& kernel,
                            const KernelPlacement& placement) {
  json::object devices;
  for (const DeviceShare& share : placement.devices) {
    json::value& device = devices[cluster.device_name(placement.agent, share.device)];
    if (device.is_null()) device = json::object();
    const std::string_view slot = cluster.slot_name(share.slot);
    device.as_object()[slot] = amount_text(cluster, slot, share.amount);
  }
  return {
      {"kernel", kernel}, {"agent", cluster.agent_name(placement.agent)}, {"devices", std::move(devices)}};
}

// By how many containers the nearest agent would be over its limit: all of a single-node session start on one
// agent.
std::int64_t containers_over(const ScenarioRun& run, const RefusedLine& line) {
  std::int64_t wanted = 1;
  if (line.session->mode == Mode::kSingleNode)
    wanted = static_cast<std::int64_t>(kernel_names(*line.session).size());
  if (line.why.nearest == kNoAgent) return wanted;
  const Cluster& cluster = run.cluster();
  const std::vector<AgentSpec>& agents = run.scenario().agents;
  const auto agent = std::find_if(agents.begin(), agents.end(), [&](const AgentSpec& spec) {
    return spec.id == cluster.agent_name(line.why.nearest);
  });
  return std::max<std::int64_t>(
      1, std::int64_t{cluster.containers(line.why.nearest)} + wanted - std::int64_t{agent->max_containers});
}

json::object resource_detail(const ScenarioRun& run, const RefusedLine& line) {
  const Cluster& cluster = run.cluster();
  json::object detail{{"requirement", line.why.requirement}};
  json::object missing;
  for (const SlotLack& lack : line.why.lacks)
    missing[cluster.slot_name(lack.slot)] = amount_text(cluster, cluster.slot_name(lack.slot), lack.missing);
  if (line.reason.code == Code::kContainerLimit) detail["containers"] = containers_over(run, line);
  detail["missing"] = std::move(missing);
  if (line.why.nearest != kNoAgent) detail["agent"] = cluster.agent_name(line.why.nearest);
  return detail;
}

// The excess of one scope follows the other. The word for system sessions is that of the file.
json::array limit_detail(const Cluster& cluster, const RefusedLine& line) {
  json::array scopes;
  for (const projections::LimitExcess& e : line.limits) {
    const std::string scope = word(e.scope);
    const bool same = !scopes.empty() && scopes.back().at("scope").as_string() == scope &&
                      scopes.back().at("id").as_string() == e.id;
    if (!same) scopes.push_back({{"scope", scope}, {"id", e.id}, {"slots", json::object{}}});
    const auto text = [&](Amount amount) {
      return e.is_count ? std::to_string(amount) : amount_text(cluster, e.what, amount);
    };
    scopes.back().at("slots").as_object()[e.what == "system-sessions" ? "system_sessions" : e.what] = {
        {"used", text(e.used)},
        {"asked", text(e.asked)},
        {"limit", text(e.most)},
        {"over", text(e.used + e.asked - e.most)}};
  }
  return scopes;
}

json::object detail_json(const ScenarioRun& run, const RefusedLine& line) {
  const Cluster& cluster = run.cluster();
  if (is_blocking(line.reason.code)) return resource_detail(run, line);
  json::object detail;
  if (line.reason.code == Code::kLimit) {
    detail["limits"] = limit_detail(cluster, line);
  } else if (line.reason.code == Code::kDependency) {
    json::array unmet;
    for (const std::string& id : line.unmet) unmet.emplace_back(id);
    detail["unmet"] = std::move(unmet);
  } else if (line.reason.code == Code::kBehindHead) {
    detail["head"] = line.head;
  } else if (line.reason.code == Code::kSessionGroup) {
    detail["session_group"] = line.session->session_group.name;
  } else if (!line.slot.empty()) {
    detail["slot"] = line.slot;
  }
  return detail;
}

std::string session_group_sentence(const SessionGroup& group) {
  const bool spread = group.rule == GroupRule::kSpread;
  return std::string("no agent is left ") + (spread ? "without" : "with") + " a session of its group " +
         group.name;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string architectures(const Scenario& scenario, const ScenarioSession& session) {
  std::vector<std::string> asked, absent;
  for (const ScenarioKernels& kernels : session.kernels) {
    if (std::find(asked.begin(), asked.end(), kernels.arch) != asked.end()) continue;
    asked.push_back(kernels.arch);
    const bool there =
        std::any_of(scenario.agents.begin(), scenario.agents.end(), [&](const AgentSpec& agent) {
          return agent.group == session.group && !agent.draining && agent.arch == kernels.arch;
        });
    if (!there) absent.push_back(kernels.arch);
  }
  return absent.empty() ? "no agent is all of " + listed(asked) : "no agent is " + listed(absent);
}

// One sentence for people. Limits have a line each (V20).
std::string sentence(const ScenarioRun& run, const RefusedLine& line) {
  const Cluster& cluster = run.cluster();
  const auto lacks = [&]() {
    std::string text;
    for (const SlotLack& lack : line.why.lacks) {
      const std::string slot(cluster.slot_name(lack.slot));
      text += (text.empty() ? "" : "; ") + slot + ": " + amount_text(cluster, slot, lack.asked) + " asked, ";
      text += lack.on_devices ? "best single device has " +
                                    amount_text(cluster, slot, std::max<Amount>(lack.best_device_free, 0))
                              : amount_text(cluster, slot, std::max<Amount>(lack.free, 0)) + " free";
    }
    return text +
           (line.why.nearest == kNoAgent ? "" : " on " + std::string(cluster.agent_name(line.why.nearest)));
  };
  switch (line.reason.code) {
    case Code::kNoCapacity: return "no agent has enough: " + lacks();
    case Code::kNoDevice: return "enough in sum, but on no allowed set of devices: " + lacks();
    case Code::kContainerLimit: return "every agent that could take it would run more containers than it may";
    case Code::kNever: return "no agent of the group could hold it even when empty";
    case Code::kBehindHead: return "not tried: " + line.head + " before it blocks the queue";
    case Code::kNoAgents: return "the group has no agent that takes sessions";
    case Code::kArchitecture: return architectures(run.scenario(), *line.session);
    case Code::kDesignatedAgent:
      return "none of its designated agents takes it: " + listed(line.session->designated.agents);
    case Code::kSessionGroup: return session_group_sentence(line.session->session_group);
    case Code::kUnknownSlot: return "there is no slot type " + line.slot;
    case Code::kInvalidAmount: return "the amount asked of " + line.slot + " is none that can be given";
    case Code::kExclusiveSlots:
      return line.slot + " cannot be asked for together with the other slots of its set";
    case Code::kStartTime:
      return "its start time is not reached: " + time_text(line.session->start_time.value_or(0));
    case Code::kLimit: return line.limits_text;
    case Code::kDependency: return "waits for " + listed(line.unmet);
    default: return "";
  }
}

json::object pass_json(const ScenarioRun& run, const PassLines& lines) {
  const Cluster& cluster = run.cluster();
  json::array order, placed, refused, preempted, cancelled;
  for (const std::string& id : lines.order) order.emplace_back(id);
  for (const PlacedLine& line : lines.placed) {
    const std::vector<std::string> names = kernel_names(*line.session);
    json::array kernels;
    for (std::size_t i = 0; i < line.kernels.size(); ++i)
      kernels.push_back(placement_json(cluster, names[i], line.kernels[i]));
    placed.push_back({{"session", line.session->id}, {"kernels", std::move(kernels)}});
  }
  for (const RefusedLine& line : lines.refused) {
    refused.push_back({{"session", line.session->id},
                       {"code", to_string(line.reason.code)},
                       {"blocking", is_blocking(line.reason.code)},
                       {"text", sentence(run, line)},
                       {"detail", detail_json(run, line)}});
  }
  for (const PreemptedLine& line : lines.preempted) {
    preempted.push_back({{"session", line.session}, {"for", line.preemptor}, {"mode", to_string(line.mode)}});
  }
  for (const CancelledLine& line : lines.cancelled)
    cancelled.push_back({{"session", line.session}, {"code", line.code.word()}});
  return {{"order", std::move(order)},
          {"placed", std::move(placed)},
          {"refused", std::move(refused)},
          {"preempted", std::move(preempted)},
          {"cancelled", std::move(cancelled)}};
}

json::object agent_json(const Cluster& cluster, const AgentSpec& agent) {
  const AgentIndex index = *cluster.find_agent(agent.id);
  json::object free, devices;
  for (const SlotAmount& slot : agent.slots) {
    const std::string_view name = cluster.slot_name(slot.slot);
    free[name] = amount_text(cluster, name, cluster.free_amount(index, kAgentItself, slot.slot));
  }
  for (std::size_t i = 0; i < agent.devices.size(); ++i) {
    json::object slots;
    for (const SlotAmount& slot : agent.devices[i].slots) {
      const std::string_view name = cluster.slot_name(slot.slot);
      slots[name] =
          amount_text(cluster, name, cluster.free_amount(index, static_cast<DeviceIndex>(i), slot.slot));
    }
    devices[agent.devices[i].id] = std::move(slots);
  }
  return {{"id", agent.id},
          {"free", std::move(free)},
          {"devices", std::move(devices)},
          {"containers", cluster.containers(index)}};
}

std::string table(const ScenarioRun& run) {
  const Cluster& cluster = run.cluster();
  std::string text;
  for (std::size_t i = 0; i < run.passes().size(); ++i) {
    const PassLines& lines = run.passes()[i];
    text += "pass " + std::to_string(i + 1) + "\n";
    for (const CancelledLine& line : lines.cancelled)
      text += "  cancelled  " + line.session + "  " + line.code.word() + "\n";
    for (const PlacedLine& line : lines.placed) {
      text += "  placed     " + line.session->id;
      for (const KernelPlacement& kernel : line.kernels) {
        text += "  " + std::string(cluster.agent_name(kernel.agent));
        for (const DeviceShare& share : kernel.devices) {
          const std::string_view slot = cluster.slot_name(share.slot);
          text += " " + std::string(cluster.device_name(kernel.agent, share.device)) + "=" +
                  amount_text(cluster, slot, share.amount);
        }
      }
      text += "\n";
    }
    for (const PreemptedLine& line : lines.preempted) {
      text += "  preempted  " + line.session + "  " + std::string(to_string(line.mode)) + ", for " +
              line.preemptor + "\n";
    }
    for (const RefusedLine& line : lines.refused) {
      std::string why = sentence(run, line);
      for (std::size_t at = 0; (at = why.find('\n', at)) != std::string::npos; ++at)
        why.insert(at + 1, 15, ' ');
      text += "  waits      " + line.session->id + "  " + std::string(to_string(line.reason.code)) + ": " +
              why + "\n";
    }
  }
  return text;
}

std::optional<Error> missing_policy(const Scenario& scenario, CustomPolicies* policies) {
  for (const ScenarioGroup& group : scenario.groups) {
    if (group.policy.select != Select::kCustom ||
        (policies != nullptr && policies->find(group.policy.custom) != nullptr))
      continue;
    return make_error(
        "unknown-policy",
        "group \"" + group.name + "\" selects by policy \"" + group.policy.custom + "\", which is not there",
        "berth schedule --policies DIR");
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> run_scenario(std::string_view json_text, int passes, CustomPolicies* policies) {
  Result<Scenario> scenario = parse_scenario(json_text);
  if (!scenario.ok()) return scenario.error();
  if (const auto missing = missing_policy(*scenario, policies)) return *missing;
  ScenarioRun run(*scenario, policies);
  run.run(passes);
  json::array all, agents;
  for (const PassLines& lines : run.passes()) all.push_back(pass_json(run, lines));
  for (const AgentSpec& agent : scenario->agents) agents.push_back(agent_json(run.cluster(), agent));
  return json::serialize(json::object{{"passes", std::move(all)}, {"agents", std::move(agents)}}) + "\n";
}

Result<std::string> run_scenario_table(std::string_view json_text, int passes, CustomPolicies* policies) {
  Result<Scenario> scenario = parse_scenario(json_text);
  if (!scenario.ok()) return scenario.error();
  if (const auto missing = missing_policy(*scenario, policies)) return *missing;
  ScenarioRun run(*scenario, policies);
  run.run(passes);
  return table(run);
}

}  // namespace berth::placement
