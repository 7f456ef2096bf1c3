// DryRun: what would become of a request for sessions: a refusal, a start at once with its places, or a wait
// with its reason.
//
// Nothing is decided, folded or appended. The request goes through the real decision, whose events stay here.
// The sessions stand in the feed's cluster as long as this object lives, so that why and unblock can be asked
// about them. Their places are found by a run of the scheduler that is undone (what_if.h). A group that
// cannot be walked that way gets a real pass over a cluster of its own; in a cell that is too large for that,
// passes over a copy, which do not count the limits of others anew. A group's own policy (select custom) is
// not asked: places are as if the group concentrated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/decide/decide.h"
#include "controller/feed/cluster_feed.h"

namespace berth::controller {

struct WouldPlace {
  std::string kernel;  // "main1"
  std::string agent;
  std::vector<projections::DeviceShare> devices;
};

struct WouldBe {
  projections::SessionRow row;  // as it would be recorded: PENDING, its reason the one of the next pass
  bool known = true;            // false: the cell is too large to try; only a start alone was tried
  bool starts = false;          // the next pass would start it
  // The session would start if it were alone. Counts the sessions, of this request and of others, that take
  // the room first.
  std::size_t room_for_same = 0;
  std::size_t room_for_others = 0;
  std::vector<WouldPlace> kernels;  // the places, if the session starts
  std::vector<SessionId> preempts;  // the sessions that would have to go first
};

class DryRun {
 public:
  // REQUIRES: the cluster of `feed` equals `state`; both outlive this object, and nothing else changes them
  // meanwhile.
  DryRun(ClusterFeed& feed, const projections::State& state, Timestamp now)
      : feed_(feed), state_(state), now_(now) {}
  ~DryRun();
  DryRun(const DryRun&) = delete;

  // The refusal that the real request would get; without one, sessions() has the answer. To be called once.
  // REQUIRES: a request for sessions.
  std::optional<Refusal> ask(const v1::Request& request, const InHistory& in_history);
  const std::vector<WouldBe>& sessions() const { return sessions_; }
  // What counts under limits beside the state: the sessions that start, and RESERVED ones, as the leader
  // counts them.
  const projections::UsageBook& added() const { return added_; }
  // The group's own policy, which was not asked; empty if the group has none.
  std::string policy_not_asked() const;

  // Rows (agents, kernels, waiting sessions) up to which a real pass over a cluster of its own is made.
  static constexpr std::size_t kRowsMax = 20'000;

 private:
  struct Pass;

  void add(const v1::SessionRequested& requested);
  bool can_walk() const;
  void walk();
  void walk_one(WouldBe& session);
  void run_pass();
  void ask_alone(WouldBe& session);
  void blame_others(WouldBe& session, placement::Cluster& cluster, std::size_t same, std::size_t others);
  WouldPlace name_place(const projections::SessionRow& row, std::size_t kernel,
                        const placement::Cluster& cluster, const placement::KernelPlacement& placement) const;
  void set_placed(WouldBe& session, const placement::Cluster& cluster,
                  std::span<const placement::KernelPlacement> kernels);
  void set_reason(WouldBe& session, const placement::Cluster& cluster, placement::Reason reason);
  bool is_over_limit(const WouldBe& session) const;

  ClusterFeed& feed_;
  const projections::State& state_;
  const Timestamp now_;
  std::vector<WouldBe> sessions_;
  projections::UsageBook added_;  // what the sessions that start would hold
};

}  // namespace berth::controller
