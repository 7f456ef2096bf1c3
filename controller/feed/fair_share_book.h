// FairShareBook: what a scheduler with order fair-share is to know of the past: the folded usage, and what
// live kernels have occupied up to the last 5-minute boundary of header time.
//
// A function of the state and of that boundary, so whoever leads next gives the same factors. Only changed
// rows are computed again: three rows when a kernel ends, all of them at a boundary (a new day is one), and
// when the group's agents or settings change. Leader memory; owned by one strand.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "controller/placement/cluster/cluster.h"
#include "controller/placement/order/fair_share.h"
#include "projections/tables/state.h"

namespace berth::controller {

// USER where the kind is none of fair-share's.
placement::ShareScope share_scope_of(v1::ScopeKind kind);
v1::ScopeKind scope_kind_of(placement::ShareScope scope);

class FairShareBook {
 public:
  void clear() { groups_.clear(); }

  void on_group(const v1::ResourceGroupDefined& group);
  // A session of this owner waits in the group: without a row the owner would come last for ever (FS2).
  void on_owner(const std::string& group, const projections::SharedOwner& owner);
  void on_kernel(const projections::KernelRow* before, const projections::KernelRow* after,
                 const placement::Cluster& cluster);
  void on_day_usage(const projections::DayUsageRow& row);
  void on_agents();  // of any group

  // Tells the scheduler what changed since the last call.
  void refresh(const projections::State& state, Timestamp now, placement::Cluster& cluster);
  // All rows of a group as refresh() left them; none of a group with another order.
  std::vector<placement::FairShareRow> rows(const projections::State& state, const std::string& group,
                                            const placement::Cluster& cluster) const;

 private:
  struct Group {
    std::int32_t lookback = 0;
    std::map<std::string, Amount> weights;  // by scope key
    bool fresh = true;                      // `known` must be read from the state
    bool recount = true;                    // `live` must be computed again
    bool all = true;                        // every row is to be told again
    Timestamp boundary = 0;
    std::set<std::string> known;  // scope keys that have a row
    std::set<std::string> changed;
    std::map<std::string, placement::UsageByDay> live;  // up to `boundary`
    std::map<KernelId, Timestamp> counted;              // kernels in `live`, and since when they hold
  };
  void know(Group& group, const projections::SharedOwner& owner);
  void read_known(const projections::State& state);
  void recount(const projections::State& state, const placement::Cluster& cluster);
  static placement::FairShareRow row_of(const projections::State& state, const std::string& name,
                                        const Group& group, const std::string& scope,
                                        const placement::Cluster& cluster);

  std::map<std::string, Group> groups_;  // with order fair-share alone
};

// "domain/D", "project/D/P" and "user/U": all scopes of an owner but the key pair.
std::vector<std::string> shared_scopes(const projections::SharedOwner& owner);

}  // namespace berth::controller
