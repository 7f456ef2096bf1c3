// A scheduling situation as data: what `berth schedule --scenario` reads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/placement/cluster/cluster.h"
#include "controller/placement/order/fair_share.h"
#include "events/base/result.h"
#include "events/schema/v1/common.pb.h"

namespace berth::placement {

// Runs `passes` passes of the real scheduler over the file. The result is its decisions as one line of JSON.
// Errors: bad-scenario (names the key and its place), unknown-policy (a group's own policy is not in
// `policies`).
Result<std::string> run_scenario(std::string_view json_text, int passes, CustomPolicies* policies = nullptr);
// The decisions as tables for people. Errors as above.
Result<std::string> run_scenario_table(std::string_view json_text, int passes,
                                       CustomPolicies* policies = nullptr);

using SlotTexts = std::map<std::string, Amount>;  // by slot name

struct ScenarioGroup {
  std::string name;
  GroupPolicy policy;
  std::int64_t pending_timeout_s = 0;
  std::int64_t max_attempts = 5;
  std::uint64_t round_robin_index = 0;
  std::vector<FairShareRow> fair_share;  // one for each owner in "weights" or "usage_history"
};

struct ScenarioKernels {
  std::string role;
  std::uint32_t count = 1;
  std::string arch;
  SlotTexts slots;
};

struct ScenarioPlacement {
  std::string kernel;
  std::string agent;
  std::map<std::string, SlotTexts> devices;
};

struct ScenarioSession {
  std::string id, group, domain, project, user, keypair, type, state;
  Mode mode = Mode::kSingleNode;
  std::int32_t priority = 10;
  Timestamp created = 0;
  std::optional<Timestamp> start_time;
  std::vector<ScenarioKernels> kernels;
  std::optional<std::string> result;
  std::vector<ScenarioPlacement> placed;
  std::uint32_t timeout_s = 0;
  std::uint32_t retries = 0;
  std::int64_t attempts = 0;
  Designated designated;
  SessionGroup session_group;
  std::vector<std::string> failed_on;
  std::int32_t job_priority = 0;
  bool preemptible = true;
  std::optional<Timestamp> started;
  std::vector<std::string> depends_on;
  bool cancel_on_dependency_failure = true;
  // Filled in by the run.
  SessionId key;
  Reason fault;            // why the session can never be placed
  std::string fault_slot;  // by name, even if no such slot is defined
};

struct ScenarioScope {
  v1::ScopeKind scope = v1::SCOPE_KIND_USER;
  std::string id;
};
struct ScenarioLimit : ScenarioScope {
  std::map<std::string, std::optional<Amount>> slots;  // nullopt: no limit
  bool unlisted_is_zero = false;
  std::optional<std::int64_t> sessions, system_sessions;
};
struct ScenarioUsage : ScenarioScope {
  SlotTexts slots;
  std::int64_t sessions = 0;
};

struct ScenarioEvent {
  std::int64_t after_pass = 0;
  std::string end;
  std::string result;
};

struct Scenario {
  Timestamp now = 0;
  std::vector<std::pair<std::string, SlotKind>> slots;  // slot types in the order of their ids
  std::vector<ScenarioGroup> groups;
  std::vector<AgentSpec> agents;
  std::vector<ScenarioLimit> limits;
  std::vector<ScenarioUsage> usage;
  std::vector<ScenarioSession> sessions;
  std::vector<ScenarioEvent> events;
  // Knows nothing but the slot types, by the ids that they have in a run too.
  Cluster slot_types;
};

// Reads and checks a file. Every name in it refers to something in it. Errors: bad-scenario.
Result<Scenario> parse_scenario(std::string_view json_text);

// The session's kernels as people name them: "main1", "sub2".
std::vector<std::string> kernel_names(const ScenarioSession& session);

}  // namespace berth::placement
