// DryRun: what would become of sessions that somebody might ask for: refused, started at once and where, or
// waiting and why.
//
// Nothing is decided, folded or appended. The request goes through the real decision, whose events are kept
// here; its sessions stand in the mirror's model while this object lives and are gone from it afterwards, so
// why() and unblock() may be asked about them. Where they would start is found by a run of the scheduler that
// is undone (whatif.h); for groups that cannot be walked that way by a real pass over a model of its own, and
// where the cell is too large for that, by passes over a copy, which do not count limits of others anew. A
// policy of one's own (select custom) is not asked: places are as if the group concentrated.
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
  bool known = true;    // false: the cell is too large to try; it was only asked whether it fits alone
  bool starts = false;  // the next pass would start it
  // It does not start, and would if it were asked alone: so many of the same request, and of others, start
  // before it and take the room.
  std::size_t room_for_same = 0;
  std::size_t room_for_others = 0;
  std::vector<WouldPlace> kernels;  // where
  std::vector<SessionId> preempts;  // who would have to go for it; it waits until they have
};

class DryRun {
 public:
  // `mirror` equals `state`; both outlive it, and neither changes otherwise meanwhile.
  DryRun(ClusterFeed& feed, const projections::State& state, Timestamp now)
      : feed_(feed), state_(state), now_(now) {}
  ~DryRun();
  DryRun(const DryRun&) = delete;

  // The refusal that the real request would get, else sessions() says what would be. REQUIRES: a request for
  // sessions. Once.
  std::optional<Refusal> ask(const v1::Request& request, const InHistory& in_history);
  const std::vector<WouldBe>& sessions() const { return sessions_; }
  // What counts under limits beside the state: those that start, and RESERVED ones, as the leader counts
  // them.
  const projections::UsageBook& added() const { return added_; }
  // The group's own policy, which was not asked; empty: it has none.
  std::string policy_not_asked() const;

  // Rows (agents, kernels, waiting sessions) up to which a pass over a model of its own is made.
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
  projections::UsageBook added_;  // what those of the request that start would hold
};

}  // namespace berth::controller
