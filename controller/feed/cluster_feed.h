// ClusterFeed: keeps the scheduler's model equal to a state, row change by row change: the leader's own, or
// the durable one that answers are worked out on.
//
// A placement of a pass is in the model already when its event is folded: the model ignores the event then.
// Nothing is stored twice that could drift: after a reload the model is built anew from the state.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "controller/feed/fair_share_book.h"
#include "controller/feed/limit_gate.h"
#include "controller/placement/cluster/cluster.h"
#include "projections/tables/state.h"

namespace berth::controller {

class ClusterFeed {
 public:
  // Where groups that select by a policy of their own find it; outlives the feed. Before rebuild().
  // Without: they concentrate.
  void set_custom_policies(placement::CustomPolicies* policies) { policies_ = policies; }
  // Takes all of the state in. Call the state's set_listener(this) afterwards.
  void rebuild(const projections::State& state, Timestamp now);

  placement::Cluster& cluster() { return cluster_; }
  const placement::Cluster& cluster() const { return cluster_; }
  // Leader memory: an agent that is silent takes nothing new (P24).
  void set_reachable(const std::string& agent, bool reachable);
  const std::set<std::string>& unreachable() const { return unreachable_; }
  void set_now(Timestamp now) { now_ = now; }
  // Returns once whether slots were released since the last call: the pass after it counts retries.
  bool take_freed() { return std::exchange(freed_, false); }
  // The recorded wait cause of the session (start time, dependency, limit, an image that is not there, or a
  // slot that no agent may be asked for); WaitCause{} if it has none.
  static placement::WaitCause recorded_wait_cause(const projections::SessionRow& row);
  // The pass decided about the session and that was not recorded: the session is in quarantine (P7). The
  // model takes the decision back and does without the session until an operator releases it.
  void withhold(const projections::SessionRow& row);
  // Tells the model again what passes want to know of a session that holds slots.
  void describe_live(const projections::SessionRow& row);
  LimitGate& limits() { return limits_; }
  // What changes without a row of its session: start times that are reached, users disabled or enabled,
  // images that are there now, sessions released from quarantine, past usage,
  // and what groups were asked for that have not learned yet. Call it before a pass.
  void refresh(const projections::State& state, Timestamp now);
  // Sessions that a limit held and holds no longer wait for what else keeps them; for nothing, and their
  // groups need a pass. Before a pass, behind refresh().
  void lift_limits(const projections::State& state);
  const FairShareBook& fair_share() const { return fair_share_; }
  // Groups that select by what comes (learning.h), as the scheduler has them.
  const std::map<std::string, placement::GroupPolicy>& learners() const { return learners_; }

  // One row changed; nullptr: there is none (State::set_listener).
  void on_row(const projections::SessionRow* before, const projections::SessionRow* after);
  void on_row(const projections::KernelRow* before, const projections::KernelRow* after);
  void on_row(const projections::AgentRow* before, const projections::AgentRow* after);
  void on_row(const projections::GroupRow* before, const projections::GroupRow* after);
  void on_row(const projections::SlotTypeRow* before, const projections::SlotTypeRow* after);
  void on_row(const projections::LimitRow* before, const projections::LimitRow* after);
  void on_row(const projections::DayUsageRow* before, const projections::DayUsageRow* after);
  void on_row(const projections::MixRow* before, const projections::MixRow* after);
  void on_row(const projections::LearnedRow* before, const projections::LearnedRow* after);
  void on_row(const projections::QuarantineRow* before, const projections::QuarantineRow* after);
  void on_row(const projections::UserRow* before, const projections::UserRow* after);
  void on_row(const projections::ImageRow* before, const projections::ImageRow* after);
  void on_row(const projections::FolderRow* before, const projections::FolderRow* after);

 private:
  struct Learned {
    std::vector<placement::fragmentation::ClassShare> mix;
    placement::fragmentation::Shape shape;
  };
  // What sessions that ask for an image are to know of it.
  struct ImageFacts {
    std::string architecture;
    placement::Code missing = placement::Code::kNone;  // why no session can start with it; kNone: they can
    bool operator==(const ImageFacts&) const = default;
  };
  // Gives a group's policy what it learned, if its selection learns.
  void learn_from(const std::string& group, placement::GroupPolicy& policy);
  void set_mix(const std::string& group, Learned learned);
  std::vector<placement::SlotAmount> slots(const std::vector<projections::SlotAmount>& amounts);
  placement::SlotId slot(const std::string& name);
  std::vector<placement::SlotAmount> slots_of(const v1::RoleSpec& role);
  placement::Reason recorded_reason(const projections::SessionRow& row);
  void add_pending(const projections::SessionRow& row);
  void occupy(const projections::KernelRow& row);
  void reserve(const projections::SessionRow& row);
  void upsert(const projections::AgentRow& row);
  void need_group(const std::string& name);
  void switch_users(const projections::State& state);
  void change_images(const projections::State& state);
  bool uses_changed_image(const projections::SessionRow& row) const;
  const ImageFacts& facts_of_image(const v1::SessionSpec& spec, const v1::RoleSpec& role) const;
  void reach_start_times(const projections::State& state, Timestamp now);
  placement::WaitCause wait_cause_of(const projections::SessionRow& row) const;
  std::vector<std::string> volumes_of(const v1::SessionSpec& spec) const;
  bool knows_slots(const projections::SessionRow& row) const;

  placement::Cluster cluster_;
  placement::CustomPolicies* policies_ = nullptr;
  LimitGate limits_;
  FairShareBook fair_share_;
  std::map<std::string, placement::GroupPolicy> learners_;
  std::map<std::string, Learned> learned_;  // of any group
  std::set<std::string> stale_mixes_;       // learners that have not learned and were asked for something
  std::set<std::string> unreachable_;
  std::set<std::pair<Timestamp, SessionId>> before_start_;  // held for their start time
  std::set<SessionId> withheld_;
  std::vector<SessionId> released_;  // from quarantine, since the last refresh
  std::set<std::string> disabled_;   // users: what they asked for waits
  std::set<std::string> switched_;   // users disabled or enabled since the last refresh
  std::map<std::string, ImageFacts> images_;
  std::set<std::string> changed_images_;  // since the last refresh
  // Where each folder lies, for as long as it is there. It stays there, and has been made before a session
  // mounts it.
  std::unordered_map<FolderId, VolumeId, UuidHash> folder_volumes_;
  Timestamp now_ = 0;
  bool freed_ = false;
};

// A project is one of its domain: "D/P", as limits name it.
std::string project_id(const v1::Owner& owner);

placement::FairShareSettings fair_share_settings(const v1::FairShare& settings);

// Number of a kernel within its session: roles as asked for, each `count` times, from 0.
std::uint32_t kernel_index(const v1::SessionSpec& spec, std::uint32_t role, std::uint32_t index);

}  // namespace berth::controller
