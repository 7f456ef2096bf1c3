// The parts of export_scenario(), one kind of object each.
#pragma once

#include <cstdint>
#include <set>

#include "controller/scenario/export.h"
#include "controller/scenario/times.h"

namespace berth::placement {

struct Exporter {
  const projections::State& state;
  const ExportOptions& options;
  ScenarioExport out;
  std::map<std::string, SlotKind> slots;  // all slots that agents, sessions or limits name
  std::set<std::string> groups;
  std::set<std::string> agents;
  std::vector<const projections::SessionRow*> sessions;  // that wait or hold slots, in order of arrival
  std::map<std::string, std::set<std::string>> domains_of_project;

  void note(std::string text) { out.notes.push_back(std::move(text)); }
  bool wants(const std::string& group) const { return options.group.empty() || options.group == group; }
  bool is_exported(const SessionId& id) const { return out.names.contains(id); }

  std::string amount(const std::string& slot, Amount amount) const {
    return format_amount(slots.at(slot), amount);
  }
  template <class List> boost::json::object amounts(const List& list) const {
    boost::json::object made;
    for (const auto& entry : list) {
      if constexpr (requires { entry.slot(); })
        made[entry.slot()] = amount(entry.slot(), entry.amount());
      else
        made[entry.slot] = amount(entry.slot, entry.amount);
    }
    return made;
  }
  std::string project_name(const std::string& domain, const std::string& project) const;

  // export.cc
  void collect();
  void collect_slots();
  boost::json::array dependencies(const projections::SessionRow& row, boost::json::array& stubs);
  // export_group.cc
  boost::json::array export_groups();
  boost::json::object export_group(const std::string& name);
  void export_preemption(const v1::ResourceGroupDefined& def, boost::json::object& group);
  void export_fair_share(const v1::ResourceGroupDefined& def, boost::json::object& group);
  void export_past_use(const v1::ResourceGroupDefined& def, boost::json::object& weights,
                       boost::json::object& share);
  std::string owner_name(v1::ScopeKind scope, const std::string& id) const;
  void export_give_up(const v1::ResourceGroupDefined& def, boost::json::object& group);
  boost::json::array export_exclusive();
  // export_agent.cc
  boost::json::array export_agents();
  boost::json::object export_agent(const projections::AgentRow& row);
  // export_session.cc
  boost::json::object export_session(const projections::SessionRow& row, boost::json::array& stubs);
  boost::json::array placed(const projections::SessionRow& row, std::vector<std::uint32_t>& counts);
  boost::json::array held_places(const projections::SessionRow& row);
  // export_limit.cc
  boost::json::array export_limits();
  boost::json::array export_usage();
};

// Whether the session waits in the file: PENDING or RESERVED. A RESERVED one counts under limits all the
// same.
bool waits_in_file(const projections::SessionRow& row);

}  // namespace berth::placement
