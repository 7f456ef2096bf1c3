// The scheduler's own model of a cell: agents, what is free on them, and who waits.
//
// The controller's core mirrors its state into it, one call a fact, and asks pass.h for decisions. A decision
// of a pass is applied here by the pass itself; mirroring the event that came of it is then a no-op, so a
// caller may feed every event it folds without asking who made it. Everything is deterministic: ties go to
// the smaller agent id (bytes). Owned by one strand; nothing in it is thread-safe. Free amounts may be
// negative (over-committed, P8).
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

// What a live kernel holds, by names, as KernelPlaced says it. `slots` is all that it was asked for; what is
// not in `devices` is taken from the agent itself.
struct HeldDevice {
  std::string_view device;
  SlotId slot = kNoSlot;
  Amount amount = 0;
};
struct HeldKernel {
  KernelIndex kernel = 0;
  std::string_view agent;
  std::span<const SlotAmount> slots;
  std::span<const HeldDevice> devices;
};

struct ReservedPlace {
  SessionId session;
  Timestamp at = kNeverEnds;  // kNeverEnds: not before one ends that declared nothing
  std::vector<KernelPlacement> kernels;
};

class Cluster {
 public:
  Cluster();
  ~Cluster();
  Cluster(Cluster&&) noexcept;
  Cluster& operator=(Cluster&&) noexcept;

  // ---- names ----
  // The id of a slot type, defined if it is new. At most 64 slot types a cell; more is an error of the
  // caller's checks.
  SlotId define_slot(std::string_view name, SlotKind kind);
  std::optional<SlotId> find_slot(std::string_view name) const;
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
  // Where groups that select by a policy of their own find it. Outlives the Cluster; before groups are
  // defined. Without it, or where it has no such policy, they select as concentrated.
  void set_custom_policies(CustomPolicies* policies);
  // Order fair-share: what domains, projects and users used, and their weights. Replaces what was known;
  // their factors are worked out now, against what the group's agents have now, and stay until the next call:
  // call it when a day's usage has grown, and each day. A scope or id without a row has factor 0, behind all
  // that have one.
  void set_fair_share(std::string_view group, std::span<const FairShareRow> rows, std::int32_t today);
  // The same of these rows alone; what is known of others stays.
  void change_fair_share(std::string_view group, std::span<const FairShareRow> rows, std::int32_t today);
  // Select round-robin: whose turn it is next, as recorded (PassVisitor::turned).
  void set_round_robin_index(std::string_view group, std::uint64_t index);
  // Joined, joined again, changed. Amounts held by live sessions stay held, also on devices that are gone.
  // REQUIRES: the group is defined.
  void upsert_agent(const AgentSpec& spec);
  // Left for good. What live sessions hold there is remembered until they release it.
  void remove_agent(std::string_view id);
  // The two switches alone; unknown ids are ignored.
  void set_agent_schedulable(std::string_view id, bool schedulable);
  void set_agent_draining(std::string_view id, bool draining);

  // A session waits. A session that is known already is moved to these values. Errors: unknown-group,
  // no-kernels.
  Result<void> add_pending(const PendingSpec& spec);
  // No longer waits (cancelled, ended); false if it did not.
  bool remove_pending(const SessionId& id);
  bool is_pending(const SessionId& id) const;
  void set_wait_cause(const SessionId& id, WaitCause cause);  // Reason{} lifts it
  // What is recorded as its reason already (a restored state): the pass reports changes against it.
  void set_recorded_reason(const SessionId& id, Reason reason);

  // A session holds slots: from SessionScheduled, or restored. Removes it from the pending ones. A no-op for
  // kernels that hold already (the pass placed them). Unknown agents and devices are remembered as away, with
  // capacity 0. `user` is whose share it counts in (order drf).
  void occupy(const SessionId& id, std::span<const HeldKernel> kernels, std::string_view user = {});
  // What somebody holds that stands on no agent here: it counts in the user's share of the group alone (order
  // drf). `sign`: 1, and -1 when it is held no more.
  void occupy_elsewhere(std::string_view group, std::string_view user, std::span<const SlotAmount> slots,
                        int sign);
  // What else is known of a session that holds slots (restored, started, preempted); a no-op if it holds
  // none.
  void set_live(const SessionId& id, const LiveFacts& facts);
  // A waiting session has a place held for it (RESERVED, restored); from now on it is placed there alone. A
  // no-op when it does not wait, or has one already. add_pending() and remove_pending() give the place back.
  void reserve(const SessionId& id, std::span<const HeldKernel> kernels);
  bool is_reserved(const SessionId& id) const;
  // Time has passed, of which nothing else tells: somebody may have run for a group's `min_runtime` now, and
  // a head that blocks is to be tried once more, so that it is skipped in the end (skip-after-n).
  void interval_passed();
  // Order backfill: when a live session ends by its own declared timeout; kNeverEnds (as after hold()) if it
  // declared none. What a pass places counts from the pass; set it again when the session has really started.
  void set_declared_end(const SessionId& id, Timestamp ends);
  // The confirmed end of one kernel, or of all that the session holds; false when nothing was held.
  bool release(const SessionId& id, KernelIndex kernel);
  bool release(const SessionId& id);

  // ---- questions ----
  // Whether a pass could decide something new: slots were freed, sessions came, settings changed, or a pass
  // ran out of budget.
  bool needs_pass(std::string_view group) const;
  std::vector<std::string> groups_needing_pass() const;  // by name
  std::size_t pending_count() const;
  std::size_t pending_count(std::string_view group) const;
  // Free amounts, places held for preemptors not counted; 0 where there is none. Of a slot: agent and devices
  // together.
  Amount free_amount(AgentIndex agent, SlotId slot) const;
  Amount free_amount(AgentIndex agent, DeviceIndex device, SlotId slot) const;
  std::uint32_t containers(AgentIndex agent) const;
  std::vector<KernelPlacement> placements(
      const SessionId& id) const;  // empty unless it holds something; by kernel index
  std::uint64_t round_robin_index(std::string_view group) const;
  // Order backfill: when and where the head starts at the latest if all end when they declared to.
  std::optional<ReservedPlace> reservation(std::string_view group) const;
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
