// The scheduler's vocabulary: what its callers hand in and what it answers. Values only; no thread rule.
//
// Amounts are berth::Amount: micro-units of a count slot, bytes of a byte slot, 0 or 1'000'000 of a unique
// one.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/placement/fragmentation/balanced.h"
#include "events/base/amount.h"
#include "events/base/clock.h"
#include "events/base/codes/code.h"
#include "events/base/uuid.h"

namespace berth::placement {

// Small integers that stand for names inside one Cluster; they mean nothing outside it and are never
// recorded.
using SlotId = std::uint16_t;  // a slot type, in order of definition
using AgentIndex =
    std::uint32_t;  // an agent, kept while the Cluster lives, also over leaving and joining again
using DeviceIndex = std::uint16_t;  // a device of one agent
using KernelIndex = std::uint32_t;  // a kernel of one session: roles as given, each `count` times

inline constexpr AgentIndex kNoAgent = 0xFFFFFFFFu;
inline constexpr SlotId kNoSlot = 0xFFFF;
inline constexpr std::size_t kSlotTypesMax = 64;  // a cell; sets of slots are bits of a word
inline constexpr std::size_t kVictimsMax = 512;   // of one plan: it has to fit one record of the journal
inline constexpr DeviceIndex kAgentItself = 0xFFFF;
inline constexpr Timestamp kNeverEnds = INT64_MAX;  // no declared end

struct SlotAmount {
  SlotId slot = kNoSlot;
  Amount amount = 0;
  auto operator<=>(const SlotAmount&) const = default;
};

// ---- a group's settings ----

enum class Order : std::uint8_t { kFifo, kLifo, kDrf, kFairShare, kBackfill };
enum class HeadOfLine : std::uint8_t { kStrict, kSkipAfterN, kGreedy };
enum class Select : std::uint8_t { kConcentrated, kDispersed, kRoundRobin, kFgd, kBalanced, kCustom };
enum class Spread : std::uint8_t { kEven, kFill };

struct DevicePolicy {
  Spread spread = Spread::kEven;
  Amount quantum = 1;  // smallest step of a share; a whole unit or more means: whole units only ("discrete")
  bool allow_fragments = false;  // false: the guard of equal shares on the fewest devices
  bool operator==(const DevicePolicy&) const = default;
};

struct SlotDevicePolicy {
  SlotId slot = kNoSlot;
  DevicePolicy policy;
  bool operator==(const SlotDevicePolicy&) const = default;
};

// Which sessions make room for a session of a higher job priority (BEHAVIOURS.md section 4).
enum class PreemptOrder : std::uint8_t { kOldest, kNewest, kFewestSessions };
enum class PreemptMode : std::uint8_t { kTerminate, kReschedule };
enum class PreemptScope : std::uint8_t { kUser, kProject, kDomain, kResourceGroup };

struct PreemptionPolicy {
  bool enabled = false;
  PreemptOrder order = PreemptOrder::kOldest;
  PreemptMode mode = PreemptMode::kTerminate;
  PreemptScope scope =
      PreemptScope::kUser;   // victims have the same user, project, domain, or only the same group
  Duration min_runtime = 0;  // above 0: a session that has run for less, or has not started, is no victim
  bool operator==(const PreemptionPolicy&) const = default;
};

// Settings of order fair-share (fair_share.h).
struct FairShareSettings {
  std::int32_t half_life_days = 7;
  std::int32_t lookback_days = 28;  // days that count, today included
  // By slot ("cuda.shares") or device ("cuda"), in micro-units; slots not named weigh 1.
  std::vector<std::pair<std::string, Amount>> slot_weights = {
      {"cpu", kUnit}, {"mem", kUnit / 1000}, {"cuda", 10 * kUnit}};
  bool operator==(const FairShareSettings&) const = default;
};

struct GroupPolicy {
  Order order = Order::kFifo;
  HeadOfLine head_of_line = HeadOfLine::kStrict;
  std::uint32_t skip_after = 0;  // n of kSkipAfterN; 0 makes it kStrict
  bool skip_impossible =
      false;  // what the group could not hold even when empty is `never`, and blocks nobody
  Select select = Select::kConcentrated;
  // An entry stands for one slot ("cuda.shares") or for all slots of a device ("cuda"). Slots that no entry
  // stands for follow, by name.
  std::vector<std::string> slot_priority = {"cuda", "rocm", "tpu", "cpu", "mem"};
  std::vector<SlotDevicePolicy> devices;       // overrides of default_device_policy()
  std::vector<std::vector<SlotId>> exclusive;  // sets of which a kernel may ask one member only
  PreemptionPolicy preemption;
  FairShareSettings fair_share;
  std::vector<fragmentation::ClassShare> mix;  // for kFgd and kBalanced: the expected requests
  fragmentation::Shape shape;                  // for kBalanced: as learned
  std::string custom;                          // for kCustom: the custom selection policy
  bool operator==(const GroupPolicy&) const = default;
};

// The names of SCENARIO.md and of ResourceGroupDefined; false for an unknown name (refused where it is set).
bool parse_order(std::string_view name, Order* order);
bool parse_head_of_line(std::string_view name, HeadOfLine* policy);
bool parse_select(std::string_view name, Select* select);
bool parse_spread(std::string_view name, Spread* spread);
bool parse_preempt_order(std::string_view name, PreemptOrder* order);
bool parse_preempt_mode(std::string_view name, PreemptMode* mode);
bool parse_preempt_scope(std::string_view name, PreemptScope* scope);
std::string_view to_string(PreemptMode mode);

// "*.shares": steps of 0.1. Other count and unique slots: whole units. Bytes: single bytes. Spread even,
// guard on.
DevicePolicy default_device_policy(std::string_view slot_name, SlotKind kind);

// ---- agents ----

struct DeviceSpec {
  std::string id;  // unique on its agent
  std::int32_t numa = 0;
  std::vector<SlotAmount> slots;  // capacity
  std::vector<SlotAmount> used;   // taken by programs that are no session of the model; normally empty
};

// An agent as it joined: absolute values. The Cluster keeps the slots that live sessions occupy there, also
// over an upsert.
struct AgentSpec {
  std::string id;
  std::string group;
  std::string arch;               // "x86_64"
  std::vector<SlotAmount> slots;  // capacity that belongs to no device
  std::vector<SlotAmount> used;   // as DeviceSpec::used
  std::vector<DeviceSpec> devices;
  std::uint32_t containers = 0;  // containers that are no session of the model
  std::uint32_t max_containers = 0xFFFFFFFFu;
  bool schedulable = true;                // false: lost, fenced, away
  bool draining = false;                  // nothing new
  std::vector<std::string> volumes = {};  // names of the volumes that it has, unique in the cell
};

// ---- reasons ----

// In the order of the stages. A session gets the code of the furthest stage that any agent reached.
enum class Code : std::uint8_t {
  kNone,
  kInvalidAmount,
  kUnknownSlot,
  kExclusiveSlots,  // can never fit, whatever happens
  kStartTime,
  kDependency,
  kOwnerDisabled,
  kImageBuilding,
  kImageBuildFailed,
  kLimit,  // admission
  kNoAgents,
  kArchitecture,
  kNoVolume,
  kDesignatedAgent,
  kSessionGroup,  // filters
  kContainerLimit,
  kNoCapacity,
  kNoDevice,  // resources: these block the head of the line
  kNever,     // not even the empty group could hold it; in groups that skip what is impossible
  kBehindHead,
};

// As the table of codes has it; back: kNone of codes that the scheduler does not know.
berth::Code code_of(Code code);
Code find_code(berth::Code code);
inline std::string to_string(Code code) { return code_of(code).word(); }
inline bool is_blocking(Code code) {
  return code == Code::kContainerLimit || code == Code::kNoCapacity || code == Code::kNoDevice;
}

// What is recorded of a refusal (P19). Amounts are computed when somebody asks (explain.h).
struct Reason {
  Code code = Code::kNone;
  SlotId slot = kNoSlot;  // the first missing one in slot priority order; kNoSlot where none is to blame
  auto operator<=>(const Reason&) const = default;
};

// Why a session may not be tried at all: start-time, dependency, an image that is not there yet, limit, or a
// request that can never fit. The caller sets and lifts the cause. WaitCause{}: the session may be tried.
using WaitCause = Reason;

// ---- sessions ----

enum class Mode : std::uint8_t { kSingleNode, kMultiNode };

// `count` equal kernels. Slots not named are 0.
struct KernelSpec {
  std::vector<SlotAmount> slots;
  std::string arch;  // empty: any
  std::uint32_t count = 1;
};

struct Designated {
  std::vector<std::string> agents;  // empty: none designated
  bool strict = true;               // false: preferred
};

// Sessions of one session group stand apart (spread) or together (pack). The members are the other live
// sessions of the group.
enum class GroupRule : std::uint8_t { kNone, kSpread, kPack };
struct SessionGroup {
  std::string name;  // empty: in no group. The caller makes the name unique in the cell
  GroupRule rule = GroupRule::kNone;
  bool strict = false;
  auto operator<=>(const SessionGroup&) const = default;
};

// An agent on which the session failed to start. Until `until` the agent is tried only when no other agent
// takes the session.
struct FailedOn {
  std::string agent;
  Timestamp until = 0;
  auto operator<=>(const FailedOn&) const = default;
};

struct PendingSpec {
  SessionId id;
  std::string group;
  Timestamp created = 0;
  std::uint64_t arrival = 0;   // breaks ties of `created`, e.g. the journal position of the request
  std::int32_t priority = 10;  // higher first
  std::string domain, project, user;
  Mode mode = Mode::kSingleNode;
  std::vector<KernelSpec> kernels;
  Designated designated;
  std::vector<std::string> volumes = {};  // that each of its agents must have, as AgentSpec::volumes
  SessionGroup session_group;
  std::vector<FailedOn> failed_on;
  // Preemption: the session may take the slots of preemptible sessions of a strictly lower job priority.
  // System sessions neither preempt nor are preempted.
  std::int32_t job_priority = 0;
  bool preemptible = true;
  bool system = false;
  std::uint32_t retries = 0;    // as recorded (SessionRetried)
  std::uint32_t timeout_s = 0;  // declared run time, from the start; 0: no declared end (backfill)
  // While this is set the session is not tried and blocks no other session; the cause is its reason.
  WaitCause wait_cause;
};

// What a pass uses of a live session beside the slots that the session occupies.
struct LiveFacts {
  std::string domain, project;
  std::string session_group;  // SessionGroup::name
  std::int32_t job_priority = 0;
  bool preemptible = false;         // false for system sessions and for sessions that end already
  bool leaving = false;             // ends already, for whatever reason; its slots are still taken
  Timestamp started = kNotStarted;  // RUNNING since
  static constexpr Timestamp kNotStarted = INT64_MAX;
};

// ---- answers ----

struct DeviceShare {
  DeviceIndex device = kAgentItself;
  SlotId slot = kNoSlot;
  Amount amount = 0;
  bool operator==(const DeviceShare&) const = default;
};

// Where one kernel goes. Slots without a device share (cpu, mem) are taken from the agent itself, as asked.
struct KernelPlacement {
  AgentIndex agent = kNoAgent;
  std::vector<DeviceShare> devices;
  bool operator==(const KernelPlacement&) const = default;
};

// The same by names, as an event says it. The views live as long as the Cluster is not changed.
struct NamedShare {
  std::string_view device;
  std::string_view slot;
  Amount amount = 0;
};
struct NamedPlacement {
  std::string_view agent;
  std::vector<NamedShare> devices;
};

}  // namespace berth::placement
