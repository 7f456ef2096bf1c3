// Cluster: the scheduler's model of a cell: the agents, what is free on them, and the sessions that wait.
//
// The caller mirrors its state into the Cluster, one call a fact, and asks pass.h for decisions. A pass
// applies its decisions to the Cluster at once. Mirroring the event of such a decision is a no-op, so the
// caller may feed every event that it folds. Everything is deterministic: ties go to the smaller agent id
// (bytes). Owned by one strand; nothing here is thread-safe. Free amounts may be negative (over-committed,
// P8).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "controller/placement/types.h"
#include "events/base/result.h"

namespace berth::placement {

struct Model;          // model.h: the tables inside; for the scheduler's own files and its tests
struct FairShareRow;   // fair_share.h
class CustomPolicies;  // custom/policy.h

// What a placed kernel takes, by names, as KernelPlaced says it. `slots` is the whole request of the kernel;
// slots that are not in `devices` are taken from the agent itself.
struct PlacedDevice {
  std::string_view device;
  SlotId slot = kNoSlot;
  Amount amount = 0;
};
struct PlacedKernel {
  KernelIndex kernel = 0;
  std::string_view agent;
  std::span<const SlotAmount> slots;
  std::span<const PlacedDevice> devices;
};

// What is promised to the head of a group with order backfill.
struct ReservedPlace {
  SessionId session;
  Timestamp at = kNeverEnds;  // kNeverEnds: not before a session ends that declared no end
  std::vector<KernelPlacement> kernels;
};

class Cluster {
 public:
  Cluster();
  ~Cluster();
  Cluster(Cluster&&) noexcept;
  Cluster& operator=(Cluster&&) noexcept;

  // ---- names ----
  // The id of a slot type, defined if it is new. REQUIRES: the name is known, or takes_more_slots().
  SlotId define_slot(std::string_view name, SlotKind kind);
  std::optional<SlotId> find_slot(std::string_view name) const;
  bool takes_more_slots() const;  // fewer than kSlotTypesMax are defined
  std::string_view slot_name(SlotId slot) const;
  SlotKind slot_kind(SlotId slot) const;
  std::optional<AgentIndex> find_agent(std::string_view id) const;
  std::string_view agent_name(AgentIndex agent) const;
  std::string_view device_name(AgentIndex agent, DeviceIndex device) const;
  std::vector<NamedPlacement> named(std::span<const KernelPlacement> kernels) const;  // by kernel

  // ---- facts ----
  // Defines a group or changes its settings.
  void define_group(std::string_view name, const GroupPolicy& policy);
  bool has_group(std::string_view name) const;
  // Where groups with selection `custom` find their custom selection policy. REQUIRES: `policies` outlives
  // the Cluster, and no group is defined yet. A group whose policy is not there selects as `concentrated`.
  void set_custom_policies(CustomPolicies* policies);
  // Order fair-share: past usage and weights of domains, projects and users. Replaces all rows of the group.
  // The factors are computed now, against the present capacity of the group's agents, and stay until the next
  // call: call it when a day's usage has grown, and each day. A domain, project or user without a row has
  // factor 0 and comes behind all that have one.
  void set_fair_share(std::string_view group, std::span<const FairShareRow> rows, std::int32_t today);
  // The same for these rows alone; all other rows stay.
  void change_fair_share(std::string_view group, std::span<const FairShareRow> rows, std::int32_t today);
  // Select round-robin: whose turn it is next, as recorded (PassVisitor::turned).
  void set_round_robin_index(std::string_view group, std::uint64_t index);
  // The agent joined, joined again or changed. Slots that live sessions occupy stay occupied, also on devices
  // that are gone. REQUIRES: the group is defined.
  void upsert_agent(const AgentSpec& spec);
  // The agent left for good. Slots that live sessions occupy there are remembered until release().
  void remove_agent(std::string_view id);
  // One switch of the agent alone; unknown ids are ignored.
  void set_agent_schedulable(std::string_view id, bool schedulable);

  // A session waits. A session that waits already gets these values. Errors: unknown-group, no-kernels.
  Result<void> add_pending(const PendingSpec& spec);
  // The session waits no longer (cancelled, ended). Returns false if the session did not wait.
  bool remove_pending(const SessionId& id);
  bool is_pending(const SessionId& id) const;
  void set_wait_cause(const SessionId& id, WaitCause cause);  // WaitCause{} lifts the cause
  // The reason that is recorded already (a restored state): a pass reports only changes against it.
  void set_recorded_reason(const SessionId& id, Reason reason);

  // The session occupies slots (scheduled, or restored) and waits no longer. A no-op for kernels that occupy
  // slots already, since a pass placed them. Unknown agents and devices are remembered as away, with capacity
  // 0. The slots count in the share of `user` (order drf).
  void occupy(const SessionId& id, std::span<const PlacedKernel> kernels, std::string_view user = {});
  // Slots of a session that stands on no agent of the Cluster: they count only in the user's share of the
  // group (order drf). `sign`: 1 when the session takes them, -1 when it releases them.
  void occupy_elsewhere(std::string_view group, std::string_view user, std::span<const SlotAmount> slots,
                        int sign);
  // Facts of a live session beside its slots (restored, started, preempted). A no-op if the session occupies
  // none.
  void set_live(const SessionId& id, const LiveFacts& facts);
  // A held place for a session that waits (RESERVED, restored): from now on the session is placed there
  // alone. A no-op if the session does not wait or has a held place. add_pending() and remove_pending() drop
  // the place.
  void reserve(const SessionId& id, std::span<const PlacedKernel> kernels);
  bool is_reserved(const SessionId& id) const;
  // Time has passed. A live session may have run for a group's `min_runtime` by now, and a head that blocks
  // is tried once more, so that skip-after-n skips the head in the end.
  void interval_passed();
  // Order backfill: when a live session ends by its declared run time; kNeverEnds (as after occupy()) if it
  // declared none. A pass counts from its own clock; set the end again when the session has really started.
  void set_declared_end(const SessionId& id, Timestamp ends);
  // The confirmed end of one kernel, or of all kernels of the session. Returns false if nothing was occupied.
  bool release(const SessionId& id, KernelIndex kernel);
  bool release(const SessionId& id);

  // ---- questions ----
  // True if a pass may decide something new: slots were released, sessions came, settings changed, or the
  // last pass ran out of budget.
  bool needs_pass(std::string_view group) const;
  std::vector<std::string> groups_needing_pass() const;  // by name
  std::size_t pending_count() const;
  std::size_t pending_count(std::string_view group) const;
  // Free amounts; held places count as free. Without a device: agent and devices together. 0 for a slot that
  // is not there.
  Amount free_amount(AgentIndex agent, SlotId slot) const;
  Amount free_amount(AgentIndex agent, DeviceIndex device, SlotId slot) const;
  std::uint32_t containers(AgentIndex agent) const;
  std::vector<KernelPlacement> placements(
      const SessionId& id) const;  // by kernel index; empty unless the session is live
  std::uint64_t round_robin_index(std::string_view group) const;
  // Order backfill: when and where the head starts at the latest, if all live sessions end as declared.
  std::optional<ReservedPlace> head_reservation(std::string_view group) const;
  // Sessions that wait in this group, in the order in which a pass considers them.
  std::vector<SessionId> queue(std::string_view group) const;
  // Bytes of memory for the pending sessions alone, as far as the tables know; for the benchmark.
  std::size_t pending_bytes() const;
  // The same for agents: their amounts and devices, and what the indexes of their groups keep of them.
  std::size_t agent_bytes() const;

  Model& model() { return *model_; }
  const Model& model() const { return *model_; }

 private:
  std::unique_ptr<Model> model_;
};

}  // namespace berth::placement
