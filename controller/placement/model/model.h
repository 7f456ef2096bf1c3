// The tables inside a Cluster. For the scheduler's own files; others use cluster.h.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/flat_map.hpp>

#include "controller/placement/devices/devices.h"
#include "controller/placement/model/few.h"
#include "controller/placement/model/flat_index.h"
#include "controller/placement/model/ranked.h"
#include "controller/placement/types.h"

namespace berth::placement {

using GroupIndex = std::uint32_t;
using RequirementIndex = std::uint32_t;
using ClassIndex = std::uint32_t;
using RefusalIndex = std::uint32_t;
using PendingIndex = std::uint32_t;
using LiveIndex = std::uint32_t;
inline constexpr std::uint32_t kNothing = 0xFFFFFFFFu;

struct SlotType {
  std::string name;
  SlotKind kind = SlotKind::kCount;
};

// One amount on one device of an agent, or on the agent itself (kAgentItself, which sorts last).
struct SlotCell {
  SlotId slot = kNoSlot;
  DeviceIndex device = kAgentItself;
  std::int32_t numa = 0;  // of the device
  Amount capacity = 0;
  Amount used = 0;
  Amount free() const { return capacity - used; }
};

struct AgentDevice {
  std::string id;
  std::int32_t numa = 0;
};

// What a placement touches lies in the first cache line.
struct alignas(64) Agent {
  std::vector<SlotCell> cells;  // by (slot, device); devices in order of definition
  std::uint64_t label = 0;      // ascending as ids are: ties without comparing text
  GroupIndex group = kNothing;
  std::uint32_t arch = 0;  // name index; 0 = ""
  std::uint32_t containers = 0;
  std::uint32_t max_containers = 0;
  std::uint32_t entry = kNothing;  // the index's handle
  bool schedulable = false;
  bool draining = false;
  std::string id;
  std::vector<AgentDevice> devices;
  std::vector<std::uint32_t>
      holders;                      // live sessions with kernels here (LiveIndex), once a kernel, in no order
  std::vector<SlotCell> base_used;  // AgentSpec::used, so that the next upsert can take it back
  std::uint32_t base_containers = 0;

  bool takes_more() const { return schedulable && !draining; }
};

// What one kernel needs; equal ones are one object. Slots with an amount above 0 only, by slot.
struct Requirement {
  std::uint32_t arch = 0;
  std::vector<SlotAmount> slots;
  auto operator<=>(const Requirement&) const = default;
};

struct KernelCount {
  RequirementIndex requirement = 0;
  std::uint32_t count = 0;
  auto operator<=>(const KernelCount&) const = default;
};

// What has to fit on one agent together: a single-node session, or one kernel of a multi-node one.
struct Need {
  std::uint32_t arch = 0;
  std::uint32_t containers = 0;
  std::vector<SlotAmount> sums;  // over all kernels, as Requirement::slots
  std::vector<KernelCount> kernels;
};

// All that matters for placing a session: sessions of one class share one search and one refusal.
struct ClassKey {
  GroupIndex group = kNothing;
  Mode mode = Mode::kSingleNode;
  bool strict = true;  // of the designated agents
  std::vector<KernelCount> kernels;
  std::vector<std::string> designated;
  std::uint32_t session_group = 0;  // name index; 0: in none
  GroupRule rule = GroupRule::kNone;
  bool rule_strict = false;
  std::vector<FailedOn> failed_on;
  std::uint32_t timeout_s = 0;  // backfill alone, where it decides who may go before the head
  auto operator<=>(const ClassKey&) const = default;

  // Refused now, it may fit after somebody else was placed: the first of its session group opens an agent to
  // it.
  bool waits_for_members() const { return rule == GroupRule::kPack && rule_strict; }
  bool spreads_strictly() const { return rule == GroupRule::kSpread && rule_strict; }
};

// Why something fits nowhere; one for all classes that differ in their timeout alone, which decides when one
// may go before another, not where it fits.
struct Refusal {
  // It holds while the group's `gains` is `refused_at`.
  std::uint64_t refused_at = kNever;
  Reason reason;
  std::uint64_t explained_at = kNever;  // the group's `changes` when the reason was worked out
  std::uint32_t classes = 0;
  static constexpr std::uint64_t kNever = ~0ull;
};

struct SessionClass {
  ClassKey key;
  Need need;                  // of a single-node session: all its kernels together
  std::uint32_t pending = 0;  // sessions that wait; the class is forgotten with the last
  std::uint32_t kernels = 0;
  RefusalIndex refusal = kNothing;
  std::uint64_t behind = 0;  // the reservation that it would delay (backfill.h)
};

// The order inside a lane. `first` and `second` are created and arrival, negated for lifo.
struct QueueKey {
  std::int64_t first = 0;
  std::int64_t second = 0;
  SessionId id;
  auto operator<=>(const QueueKey&) const = default;
};

struct Pending {
  SessionId id;
  Timestamp created = 0;
  std::uint64_t arrival = 0;
  std::int32_t priority = 0;
  ClassIndex session_class = kNothing;
  std::uint32_t user = 0;  // name indexes
  std::uint32_t domain = 0;
  std::uint32_t project = 0;
  std::int32_t job_priority = 0;
  std::uint32_t timeout_s = 0;
  std::uint32_t retries = 0;
  Reason recorded;
  WaitCause wait_cause;
  bool demoted = false;  // skipped often enough: goes behind its band
  bool preemptible = true;
  bool system = false;
  bool reserved = false;  // has a HeldPlace: stands in no lane
};

struct Queued {
  QueueKey key;
  PendingIndex pending;
  bool operator<(const Queued& other) const { return key < other.key; }
};

struct Head {
  QueueKey key;
  ClassIndex session_class;
  bool operator<(const Head& other) const { return key < other.key; }
};

// A priority band, or the demoted part of one: a queue a class, and the heads of all queues in order.
struct LaneKey {
  std::int64_t negative_priority = 0;
  bool demoted = false;
  auto operator<=>(const LaneKey&) const = default;
};
// One that is not tried while its hold lasts, where it would stand.
struct HeldBack {
  LaneKey lane;
  QueueKey key;
  PendingIndex pending;
  bool operator<(const HeldBack& other) const {
    return lane != other.lane ? lane < other.lane : key < other.key;
  }
};
struct Lane {
  std::map<ClassIndex, Ranked<Queued>> queues;
  std::set<Head> heads;
};

class SearchIndex;       // search_index.h
class RankedLanes;       // ranked_lanes.h
struct HeadReservation;  // backfill.h
enum class ShareScope : std::uint8_t;
struct RiseSettings;  // least_rise.h
class CustomPolicy;   // custom/policy.h
class CustomPolicies;

// What may be copied as it is (copy.h).
struct GroupValues {
  std::string name;
  GroupPolicy policy;
  std::vector<SlotId> slot_order;       // all slot types, by the group's priority
  std::vector<MapPolicy> map_policies;  // by slot
  boost::container::flat_map<std::uint64_t, AgentIndex>
      agents;  // by label; in one piece, for who looks at all of them
  std::map<LaneKey, Lane> lanes;
  Ranked<HeldBack> held;
  std::deque<SessionId> unexplained;  // whose recorded reason may have to change
  std::size_t pending = 0;
  std::map<std::int32_t, std::size_t> job_priorities;  // of those who wait
  std::size_t waiting_for_members = 0;                 // classes, see ClassKey
  std::uint64_t gains = 0;                             // grows when something may fit that did not
  std::uint64_t changes = 0;                           // grows with every change of an agent
  bool dirty = false;
  bool walked = false;        // the pass under way has only reasons left to tell
  bool head_demoted = false;  // by the pass under way: the next one tries those behind it
  std::map<std::uint32_t, std::vector<Amount>> held_by_user;    // by slot; of live sessions, for drf
  std::map<std::uint32_t, std::vector<Amount>> held_elsewhere;  // the part of held_by_user on no agent here
  SessionId head;  // the head that blocks since the last pass; nil if none
  std::uint64_t round_robin_index = 0;
  std::set<std::pair<Timestamp, LiveIndex>> ends;                         // declared ones, for backfill
  std::uint64_t head_reservations = 0;                                    // worked out so far
  std::uint64_t losses = 0;                                               // grows when slots are taken
  std::map<std::pair<ShareScope, std::uint32_t>, std::uint64_t> factors;  // by name index, for fair-share
};

struct Group : GroupValues {
  std::unique_ptr<SearchIndex> index;
  std::unique_ptr<HeadReservation> head_reservation;  // backfill alone
  std::unique_ptr<RankedLanes> ranks;                 // drf and fair-share alone
  std::unique_ptr<RiseSettings> rise;                 // never null once defined
  CustomPolicy* custom = nullptr;                     // of select custom, where there is such a policy

  void touch() {  // a pass may find something new
    dirty = true;
    walked = false;
  }

  Group();
  ~Group();
  Group(Group&&) noexcept;
  Group& operator=(Group&&) noexcept;
};

struct Live {
  SessionId id;
  std::uint32_t user = 0;  // name indexes
  std::uint32_t domain = 0;
  std::uint32_t project = 0;
  std::uint32_t session_group = 0;  // 0: in none
  std::int32_t job_priority = 0;
  bool preemptible = false;
  bool leaving = false;  // preempted: its slots are held for somebody
  Timestamp started = LiveFacts::kNotStarted;
  Timestamp ends = kNeverEnds;  // as declared
  struct Kernel {
    KernelIndex kernel = 0;
    GroupIndex group = kNothing;  // whose capacity it counts against
    RequirementIndex requirement = kNothing;
    AgentIndex agent = kNoAgent;
    Few<DeviceShare> devices;
  };
  Few<Kernel> kernels;  // by kernel
};

// A place held for a session that preempts: counted as used on the agents, so that nobody else takes it,
// though the victims use it still (an agent may be over-committed that way until they end).
struct HeldPlace {
  PendingIndex session = kNothing;
  std::vector<Live::Kernel> kernels;  // by kernel
};

// As GroupValues.
struct ModelValues {
  std::vector<SlotType> slots;
  std::map<std::string, SlotId, std::less<>> slot_ids;
  std::vector<std::string> names{""};  // architectures, users, projects, domains, session groups
  std::map<std::string, std::uint32_t, std::less<>> name_ids{{"", 0}};

  std::map<std::string, GroupIndex, std::less<>> group_ids;
  std::vector<Agent> agents;
  std::map<std::string, AgentIndex, std::less<>> agent_ids;

  std::vector<Requirement> requirements;
  std::vector<std::uint32_t> requirement_uses;  // by classes and live kernels
  std::map<Requirement, RequirementIndex> requirement_ids;
  std::vector<RequirementIndex> free_requirements;
  std::vector<SessionClass> classes;
  std::map<ClassKey, ClassIndex> class_ids;
  std::vector<ClassIndex> free_classes;
  std::vector<Refusal> refusals;
  std::map<ClassKey, RefusalIndex> refusal_ids;  // by the key without its timeout
  std::vector<RefusalIndex> free_refusals;

  std::vector<Pending> pending;
  std::vector<PendingIndex> free_pending;
  FlatIndex pending_ids;
  std::vector<Live> live;
  std::vector<LiveIndex> free_live;
  FlatIndex live_ids;

  // Session groups by name index: of each agent, how many of its live sessions have a kernel there. No zeros.
  std::map<std::uint32_t, std::map<AgentIndex, std::uint32_t>> members;
  // Classes that want a strict spread, by session group: a new member may change why they were refused, and
  // so whether they block.
  std::map<std::uint32_t, std::set<ClassIndex>> strict_spreads;
  std::map<SessionId, HeldPlace> held_places;
  Timestamp now = 0;  // of the last pass
};

struct Model : ModelValues {
  std::vector<Group> groups;
  CustomPolicies* policies = nullptr;  // custom ones; of whoever made the Cluster

  GroupIndex index_of(const Group& group) const { return static_cast<GroupIndex>(&group - groups.data()); }
  Pending* find_pending(const SessionId& id);
  const Pending* find_pending(const SessionId& id) const;
  PendingIndex find_pending_index(const SessionId& id) const;
  LiveIndex find_live(const SessionId& id) const;
  std::uint32_t intern_name(std::string_view name);
};

}  // namespace berth::placement
