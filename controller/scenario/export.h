// A cell's state as a scenario file: on this file, `berth schedule --scenario` decides what the next pass
// over the state would.
//
// Pure. A note, one line each, names what the form of the file cannot say. What no pass asks about (images,
// environments, commands, timers of running sessions) is left out without a note. The leader's memory, such
// as an agent that is silent but not yet lost, is not in the state and so not in the file.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <string>
#include <vector>

#include "controller/placement/order/past_use.h"
#include "events/base/result.h"
#include "events/base/usage_slices.h"
#include "projections/tables/state.h"

namespace berth::placement {

struct ExportOptions {
  std::string group;  // empty: all resource groups
  Timestamp now = 0;
  std::size_t things_max = 20'000;  // agents and sessions together, else scenario-too-large
  std::map<std::string, std::vector<PastUse>> past_use;  // by resource group, of groups with order fair-share
};

struct ScenarioExport {
  boost::json::object scenario;
  std::vector<std::string> notes;
  std::map<SessionId, std::string>
      names;  // of the sessions in the file: their own, with a part of the id if two share it
};

// Errors: unknown-group, scenario-too-large.
Result<ScenarioExport> export_scenario(const projections::State& state, const ExportOptions& options);

}  // namespace berth::placement
