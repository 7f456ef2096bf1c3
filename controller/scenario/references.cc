// What no single object of a scenario shows: names that name nothing, duplicates, cycles.
#include <algorithm>
#include <set>

#include "controller/scenario/parse.h"

namespace berth::placement {

namespace {

std::string place(const char* list, std::size_t index, const char* key) {
  return std::string(list) + "[" + std::to_string(index) + "]" + (*key == 0 ? "" : ".") + key;
}

template <class T, class Name>
std::set<std::string> names_of(Document& document, const std::vector<T>& all, const char* list,
                               const char* key, Name name) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!names.insert(name(all[i])).second)
      document.fail(place(list, i, key), "\"" + name(all[i]) + "\" is there twice");
  }
  return names;
}

void check_devices(Document& document, const Scenario& scenario, const AgentSpec& agent,
                   const ScenarioPlacement& placement, const std::string& at) {
  for (const auto& [id, slots] : placement.devices) {
    const auto device = std::ranges::find(agent.devices, id, &DeviceSpec::id);
    if (device == agent.devices.end()) {
      document.fail(at, "agent \"" + agent.id + "\" has no device \"" + id + "\"");
      continue;
    }
    for (const auto& entry : slots) {
      const auto slot = scenario.slot_types.find_slot(entry.first);
      const bool has = std::any_of(device->slots.begin(), device->slots.end(),
                                   [&](const SlotAmount& s) { return s.slot == slot; });
      if (!has) document.fail(at + "." + id, "device \"" + id + "\" has no " + entry.first);
    }
  }
}

void check_placement(Document& document, const Scenario& scenario, const ScenarioSession& session,
                     std::size_t index) {
  const std::vector<std::string> kernels = kernel_names(session);
  std::set<std::string> seen;
  for (std::size_t i = 0; i < session.placed.size(); ++i) {
    const ScenarioPlacement& placement = session.placed[i];
    const std::string at = place("sessions", index, "placed") + "[" + std::to_string(i) + "]";
    if (std::find(kernels.begin(), kernels.end(), placement.kernel) == kernels.end()) {
      document.fail(at + ".kernel", "the session has no kernel \"" + placement.kernel + "\"");
    } else if (!seen.insert(placement.kernel).second) {
      document.fail(at + ".kernel", "\"" + placement.kernel + "\" is placed twice");
    }
    const auto agent = std::find_if(scenario.agents.begin(), scenario.agents.end(),
                                    [&](const AgentSpec& spec) { return spec.id == placement.agent; });
    if (agent == scenario.agents.end()) {
      document.fail(at + ".agent", "there is no agent \"" + placement.agent + "\"");
      continue;
    }
    check_devices(document, scenario, *agent, placement, at + ".devices");
  }
}

bool holds_all_kernels(const ScenarioSession& session) {
  std::set<std::string> held;
  for (const ScenarioPlacement& placement : session.placed) held.insert(placement.kernel);
  return held.size() == kernel_names(session).size();
}

bool reaches(const Scenario& scenario, const std::map<std::string, std::size_t>& by_id, std::size_t from,
             std::size_t target, std::set<std::size_t>& seen) {
  for (const std::string& id : scenario.sessions[from].depends_on) {
    const std::size_t next = by_id.at(id);
    if (next == target) return true;
    if (seen.insert(next).second && reaches(scenario, by_id, next, target, seen)) return true;
  }
  return false;
}

void check_dependencies(Document& document, const Scenario& scenario) {
  std::map<std::string, std::size_t> by_id;
  for (std::size_t i = 0; i < scenario.sessions.size(); ++i) by_id[scenario.sessions[i].id] = i;
  for (std::size_t i = 0; i < scenario.sessions.size(); ++i) {
    for (std::size_t k = 0; k < scenario.sessions[i].depends_on.size(); ++k) {
      const std::string& id = scenario.sessions[i].depends_on[k];
      const std::string at = place("sessions", i, "depends_on") + "[" + std::to_string(k) + "]";
      if (!by_id.contains(id)) return document.fail(at, "there is no session \"" + id + "\"");
      if (scenario.sessions[i].type != "batch" || scenario.sessions[by_id[id]].type != "batch") {
        return document.fail(at, "only batch sessions depend on batch sessions", "not-for-this-type");
      }
    }
  }
  for (std::size_t i = 0; i < scenario.sessions.size(); ++i) {
    std::set<std::size_t> seen;
    if (reaches(scenario, by_id, i, i, seen)) {
      return document.fail(place("sessions", i, "depends_on"), "the session depends on itself in the end",
                           "dependency-cycle");
    }
  }
}

}  // namespace

void check_references(Document& document, const Scenario& scenario) {
  const auto groups =
      names_of(document, scenario.groups, "groups", "name", [](const ScenarioGroup& g) { return g.name; });
  names_of(document, scenario.agents, "agents", "id", [](const AgentSpec& a) { return a.id; });
  const auto sessions =
      names_of(document, scenario.sessions, "sessions", "id", [](const ScenarioSession& s) { return s.id; });
  for (std::size_t i = 0; i < scenario.agents.size(); ++i) {
    if (!groups.contains(scenario.agents[i].group)) {
      document.fail(place("agents", i, "group"), "there is no group \"" + scenario.agents[i].group + "\"");
    }
  }
  for (std::size_t i = 0; i < scenario.sessions.size(); ++i) {
    const ScenarioSession& session = scenario.sessions[i];
    if (!groups.contains(session.group))
      document.fail(place("sessions", i, "group"), "there is no group \"" + session.group + "\"");
    check_placement(document, scenario, session, i);
    if (session.state == "RESERVED" && !session.placed.empty() && !holds_all_kernels(session)) {
      document.fail(place("sessions", i, "placed"),
                    "a RESERVED session holds a place for each of its kernels");
    }
  }
  for (std::size_t i = 0; i < scenario.events.size(); ++i) {
    if (!sessions.contains(scenario.events[i].end)) {
      document.fail(place("events", i, "end"), "there is no session \"" + scenario.events[i].end + "\"");
    }
  }
  if (!document.error()) check_dependencies(document, scenario);
}

}  // namespace berth::placement
