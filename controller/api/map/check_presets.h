// Which presets a user could start now in a resource group (BEHAVIOURS section 14). Pure; callers hold the
// state's lock.
//
// remaining = for each slot, the least of what the limits leave and of the sum of free amounts on agents that
// take new kernels; free = capacity - reserved - used. PENDING sessions count 0; TERMINATING ones still hold
// their slots.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/api/map/slot_amounts.h"
#include "projections/tables/state.h"

namespace berth::controller::api {

struct ScopeBalance {
  v1::ScopeKind scope = v1::SCOPE_KIND_UNSPECIFIED;
  std::string id;
  std::map<std::string, Amount> held;                      // an entry for every slot type
  std::map<std::string, std::optional<Amount>> remaining;  // nullopt: unlimited; never below 0
};

struct PresetCheck {
  v1::PresetDefined preset;
  bool allocatable = false;  // one agent has the amounts free, and no limit is in the way
};

struct PresetReport {
  std::map<std::string, Amount> held;       // the user's, in the group
  std::map<std::string, Amount> remaining;  // in the group
  std::vector<ScopeBalance> scopes;         // domain, project, user, keypair
  std::vector<PresetCheck> presets;         // by name
};

PresetReport check_presets(const projections::State& state, const v1::Owner& owner, const std::string& group);

// What the limits leave of a slot; nullopt: no limit binds it.
std::optional<Amount> left_by_limits(const projections::State& state, const v1::Owner& owner,
                                     const std::string& slot);

boost::json::object preset_report_to_json(const SlotKinds& kinds, const PresetReport& report);
boost::json::object preset_to_json(const SlotKinds& kinds, const v1::PresetDefined& preset);
v1::PresetDefined read_preset(const boost::json::object& body, const SlotKinds& kinds, Errors& errors);

}  // namespace berth::controller::api
