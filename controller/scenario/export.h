// A state of the cell as a scenario file: `berth schedule --scenario` of it decides what the next pass over
// that state would.
//
// Pure. What the form of the file cannot say is told in notes, one line each; what no pass asks about
// (images, environments, commands, timers of sessions that run) is left out in silence. Leader's memory, such
// as an agent that is silent but not yet lost, is in no state and in no file.
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
  std::size_t things_max = 20'000;                       // agents and sessions together
  std::map<std::string, std::vector<PastUse>> past_use;  // by resource group; of those with order fair-share
};

struct ScenarioExport {
  boost::json::object scenario;
  std::vector<std::string> notes;
  std::map<SessionId, std::string>
      names;  // of the sessions in the file: their own, or with a part of the id where it is there twice
};

// Errors: unknown-group, scenario-too-large.
Result<ScenarioExport> export_scenario(const projections::State& state, const ExportOptions& options);

}  // namespace berth::placement
