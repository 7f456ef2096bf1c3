// Model: the tables inside a Cluster. For the scheduler's own files; callers of the scheduler use cluster.h.
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
  std::vector<std::uint32_t> holders;  // live sessions (LiveIndex), once for each kernel here, in no order
  std::vector<SlotCell> base_used;     // AgentSpec::used, so that the next upsert can take it back
  std::uint32_t base_containers = 0;
  std::vector<std::uint32_t> volumes;  // name indexes, ascending

  bool takes_more() const { return schedulable && !draining; }
};

// What one kernel asks for; equal requests share one row. Only slots with an amount above 0, by slot.
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

// All that decides where a session fits: sessions of one class share one search and one refusal.
struct ClassKey {
  GroupIndex group = kNothing;
  Mode mode = Mode::kSingleNode;
  bool strict = true;  // of the designated agents
  std::vector<KernelCount> kernels;
  std::vector<std::string> designated;
  std::vector<std::uint32_t> volumes;  // name indexes, ascending
  std::uint32_t session_group = 0;     // name index; 0: none
  GroupRule rule = GroupRule::kNone;
  bool rule_strict = false;
  std::vector<FailedOn> failed_on;
  std::uint32_t timeout_s = 0;  // order backfill alone: which sessions may pass the head
  auto operator<=>(const ClassKey&) const = default;

  // True if a session that was refused may fit after another one was placed: the first member of a session
  // group opens an agent to it.
  bool waits_for_members() const { return rule == GroupRule::kPack && rule_strict; }
  bool spreads_strictly() const { return rule == GroupRule::kSpread && rule_strict; }
};

// Why a class fits nowhere. Classes that differ only in their timeout share one refusal: the timeout decides
// when a session may pass the head, not where it fits.
struct Refusal {
  // The class is still refused while the group's `gains` equals this.
  std::uint64_t refused_at = kNever;
  Reason reason;
  std::uint64_t explained_at = kNever;  // the group's `changes` when the reason was worked out
  Reason impossible;                    // kNever, or none: what impossible.h found
  std::uint64_t judged_at = kNever;     // the group's `capacities` when `impossible` was worked out
  std::uint32_t classes = 0;
  static constexpr std::uint64_t kNever = ~0ull;
};

struct SessionClass {
  ClassKey key;
  Need need;                  // of a single-node session: all its kernels together
  std::uint32_t pending = 0;  // sessions that wait; the class is forgotten with the last
  std::uint32_t kernels = 0;
  RefusalIndex refusal = kNothing;
  std::uint64_t behind = 0;  // HeadReservation::serial that it would delay
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
  bool demoted = false;  // skipped often enough: stands behind its band
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
// A session with a wait cause, and where it would stand without.
struct WithCause {
  LaneKey lane;
  QueueKey key;
  PendingIndex pending;
  bool operator<(const WithCause& other) const {
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

// The values of a group: a copy of them is a copy of the group (answers/cluster_copy.h).
struct GroupValues {
  std::string name;
  GroupPolicy policy;
  std::vector<SlotId> slot_order;       // all slot types, by the group's priority
  std::size_t rated = 0;                // the first so many of slot_order bear on the selection
  std::vector<MapPolicy> map_policies;  // by slot
  boost::container::flat_map<std::uint64_t, AgentIndex>
      agents;  // by label; one block of memory, since some searches look at all of them
  std::map<LaneKey, Lane> lanes;
  Ranked<WithCause> with_cause;
  std::deque<SessionId> unexplained;  // sessions whose recorded reason may have to change
  std::size_t pending = 0;
  std::map<std::int32_t, std::size_t> job_priorities;  // of pending sessions
  std::size_t waiting_for_members = 0;                 // classes, see ClassKey
  std::uint64_t gains = 0;                             // grows when a refused request may fit
  std::uint64_t changes = 0;                           // grows with every change of an agent
  std::uint64_t capacities = 0;                        // grows when an agent joins, leaves or has other slots
  bool dirty = false;
  bool walked = false;        // the pass under way has only reasons left to report
  bool head_demoted = false;  // by the pass under way: the next pass tries the sessions behind it
  std::map<std::uint32_t, std::vector<Amount>>
      occupied_by_user;  // by slot; what live sessions occupy, for drf
  std::map<std::uint32_t, std::vector<Amount>>
      occupied_elsewhere;  // the part of occupied_by_user on no agent here
  SessionId head;          // the head that blocks since the last pass; nil if none
  std::uint64_t round_robin_index = 0;
  std::set<std::pair<Timestamp, LiveIndex>> ends;                         // declared ends, for backfill
  std::uint64_t head_reservations = 0;                                    // computed so far
  std::uint64_t losses = 0;                                               // grows when slots are taken
  std::map<std::pair<ShareScope, std::uint32_t>, std::uint64_t> factors;  // by name index, for fair-share
};

struct Group : GroupValues {
  std::unique_ptr<SearchIndex> index;
  std::unique_ptr<HeadReservation> head_reservation;  // backfill alone
  std::unique_ptr<RankedLanes> ranks;                 // drf and fair-share alone
  std::unique_ptr<RiseSettings> rise;                 // never null once defined
  CustomPolicy* custom = nullptr;  // of selection `custom`; null: the group selects as concentrated

  void touch() {  // a pass may decide something new
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
  std::uint32_t session_group = 0;  // 0: none
  std::int32_t job_priority = 0;
  bool preemptible = false;
  bool leaving = false;  // preempted, or ends anyway: counts as gone in preemption plans
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

// Slots kept for a session that preempts. They count as used on the agents, so that no other session takes
// them. Until the victims have ended an agent may be over-committed that way.
struct HeldPlace {
  PendingIndex session = kNothing;
  std::vector<Live::Kernel> kernels;  // by kernel
};

// The values of a model, as GroupValues.
struct ModelValues {
  std::vector<SlotType> slots;
  std::map<std::string, SlotId, std::less<>> slot_ids;
  std::vector<std::string> names{""};  // architectures, users, projects, domains, session groups, volumes
  std::map<std::string, std::uint32_t, std::less<>> name_ids{{"", 0}};

  std::map<std::string, GroupIndex, std::less<>> group_ids;
  std::vector<Agent> agents;
  std::map<std::string, AgentIndex, std::less<>> agent_ids;
  std::map<std::uint32_t, std::set<AgentIndex>> volume_agents;  // by volume (name index); of all groups

  std::vector<Requirement> requirements;
  std::vector<std::uint32_t> requirement_uses;  // by classes, live kernels and held places
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

  // By session group (name index) and agent: how many live sessions of the group have a kernel there. No
  // zeros.
  std::map<std::uint32_t, std::map<AgentIndex, std::uint32_t>> members;
  // Classes with a strict spread, by session group: a new member may change why they were refused, and so
  // whether they block.
  std::map<std::uint32_t, std::set<ClassIndex>> strict_spreads;
  std::map<SessionId, HeldPlace> held_places;
  Timestamp now = 0;  // of the last pass
};

struct Model : ModelValues {
  std::vector<Group> groups;
  CustomPolicies* policies = nullptr;  // custom selection policies; the caller owns them

  GroupIndex index_of(const Group& group) const { return static_cast<GroupIndex>(&group - groups.data()); }
  Pending* find_pending(const SessionId& id);
  const Pending* find_pending(const SessionId& id) const;
  PendingIndex find_pending_index(const SessionId& id) const;
  LiveIndex find_live(const SessionId& id) const;
  std::uint32_t intern_name(std::string_view name);
};

}  // namespace berth::placement
