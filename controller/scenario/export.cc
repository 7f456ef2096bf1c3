#include "controller/scenario/export.h"

#include <algorithm>

#include "controller/feed/fair_share_book.h"
#include "controller/scenario/export_parts.h"
#include "events/base/slots/slot_name.h"

namespace berth::placement {

namespace json = boost::json;
using projections::SessionRow;
using projections::SessionStatus;
using projections::State;

namespace {

// Their names, with the id where several are called that.
void name_sessions(Exporter& e) {
  std::map<std::string, int> uses;
  for (const SessionRow* row : e.sessions) ++uses[row->name];
  for (const SessionRow* row : e.sessions)
    e.out.names[row->id] = uses[row->name] == 1 ? row->name : row->name + "-" + to_string(row->id);
}

}  // namespace

bool waits_in_file(const SessionRow& row) {
  return row.status == SessionStatus::kPending || row.status == SessionStatus::kReserved;
}

std::string Exporter::project_name(const std::string& domain, const std::string& project) const {
  const auto found = domains_of_project.find(project);
  return found != domains_of_project.end() && found->second.size() > 1 ? domain + "/" + project : project;
}

void Exporter::collect() {
  for (const auto& name : state.groups.sorted_keys())
    if (wants(name)) groups.insert(name);
  for (const auto& name : state.agents.sorted_keys()) {
    const auto& row = *state.agents.find(name);
    if (row.group.empty() || !wants(row.group)) continue;  // enrolled, never joined
    groups.insert(row.group);
    agents.insert(name);
  }
  for (const auto& id : state.sessions.sorted_keys()) {
    const SessionRow& row = *state.sessions.find(id);
    if (wants(row.spec->spec.group()) && !projections::is_end(row.status)) sessions.push_back(&row);
  }
  std::sort(sessions.begin(), sessions.end(),
            [](const SessionRow* a, const SessionRow* b) { return a->created < b->created; });
  name_sessions(*this);
  for (const SessionRow* row : sessions)
    domains_of_project[row->owner->owner.project()].insert(row->owner->owner.domain());
  const auto name_project = [this](v1::ScopeKind scope, const std::string& id) {
    const auto slash = id.find('/');
    if (scope == v1::SCOPE_KIND_PROJECT && slash != std::string::npos)
      domains_of_project[id.substr(slash + 1)].insert(id.substr(0, slash));
  };
  for (const auto& key : state.limits.sorted_keys())
    name_project(state.limits.find(key)->def.scope(), state.limits.find(key)->def.id());
  for (const auto& [group, uses] : options.past_use)
    for (const PastUse& use : uses) name_project(controller::scope_kind_of(use.scope), use.id);
}

// As the scheduler's model takes them: registered ones, and whatever an agent has beside them.
void Exporter::collect_slots() {
  for (const auto& name : state.slot_types.sorted_keys())
    slots[name] = static_cast<SlotKind>(state.slot_types.find(name)->def.kind());
  const auto add = [this](const std::string& name) {
    slots.emplace(name, name == "mem" || name == kDiskSlot ? SlotKind::kBytes : SlotKind::kCount);
  };
  for (const auto& name : state.agents.sorted_keys()) {
    const auto& row = *state.agents.find(name);
    for (const auto& slot : row.slots) add(slot.slot);
    for (const auto& device : row.devices)
      for (const auto& slot : device.slots) add(slot.slot);
  }
  for (const auto& name : state.groups.sorted_keys())
    for (const auto& device : state.groups.find(name)->def.devices()) add(device.slot());
  for (const auto& key : state.limits.sorted_keys())
    for (const auto& slot : state.limits.find(key)->def.slots()) add(slot.slot());
  for (const SessionRow* row : sessions)
    for (const auto& role : row->spec->spec.roles())
      for (const auto& slot : role.slots()) add(slot.slot());
  for (const auto& id : state.kernels.sorted_keys())
    for (const auto& share : state.kernels.find(id)->devices) add(share.slot);
  for (const auto& [group, uses] : options.past_use)
    for (const PastUse& use : uses)
      for (const auto& [day, by_slot] : use.days)
        for (const auto& [slot, seconds] : by_slot) add(slot);
}

// What it waits for stands in the file too: as it is, or as a stub where its own group is left out or it is
// known no more.
json::array Exporter::dependencies(const SessionRow& row, json::array& stubs) {
  json::array ids;
  for (const SessionId& id : row.unmet) {
    if (const auto known = out.names.find(id); known != out.names.end()) {
      ids.push_back(json::value(known->second));
      continue;
    }
    const SessionRow* on = state.sessions.find(id);
    const std::string name = (on != nullptr ? on->name + "-" : "gone-") + to_string(id);
    out.names[id] = name;
    ids.push_back(json::value(name));
    const bool ended = on == nullptr || projections::is_end(on->status);
    json::object stub{
        {"id", name}, {"group", row.spec->spec.group()}, {"type", "batch"}, {"slots", json::object{}}};
    stub["state"] = on == nullptr ? "CANCELLED" : ended ? projections::name_of(on->status) : "TERMINATING";
    if (on != nullptr && ended && on->result != projections::SessionResult::kNone)
      stub["result"] = projections::name_of(on->result);
    if (!ended)
      note("session " + row.name + " waits for " + on->name +
           " of another group: that one is in the file as TERMINATING");
    stubs.push_back(std::move(stub));
  }
  return ids;
}

Result<ScenarioExport> export_scenario(const State& state, const ExportOptions& options) {
  if (!options.group.empty() && state.groups.find(options.group) == nullptr)
    return make_error("unknown-group", "there is no resource group '" + options.group.substr(0, 80) + "'",
                      "berth group ls");
  Exporter e{state, options, {}, {}, {}, {}, {}, {}};
  e.collect();
  if (e.sessions.size() + e.agents.size() > options.things_max)
    return make_error("scenario-too-large",
                      std::to_string(e.sessions.size()) + " sessions and " + std::to_string(e.agents.size()) +
                          " agents are more than a file may have (" + std::to_string(options.things_max) +
                          " together)",
                      "export one resource group");
  e.collect_slots();
  json::object slots;
  for (const auto& [name, kind] : e.slots)
    slots[name] = kind == SlotKind::kBytes ? "bytes" : kind == SlotKind::kUnique ? "unique" : "count";
  json::object file{{"version", 1}, {"now", time_text(options.now)}, {"slots", std::move(slots)}};
  file["exclusive_slots"] = e.export_exclusive();
  json::array sessions, stubs;
  for (const SessionRow* row : e.sessions) sessions.push_back(e.export_session(*row, stubs));
  for (auto& stub : stubs) sessions.push_back(std::move(stub));
  file["groups"] = e.export_groups();
  file["agents"] = e.export_agents();
  file["limits"] = e.export_limits();
  file["usage"] = e.export_usage();
  file["sessions"] = std::move(sessions);
  e.out.scenario = std::move(file);
  return std::move(e.out);
}

}  // namespace berth::placement
