// RankedLanes: the lanes of a group by owner, for orders drf and fair-share. They find the next session
// without a look at every session.
//
//   lane ──► class ──► owner ──► queue       each level knows the head that comes first below it
//
// A head is the first session of an owner in a class. Heads are ordered by the owner's rank, then by arrival.
// A pass takes the first head of the lane. A class that was refused is parked with all its sessions until the
// lane is done. When the rank of an owner changes, only the heads of that owner move. Owned by a Group,
// beside its plain lanes.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "controller/placement/order/rank.h"

namespace berth::placement {

struct OwnerHead {
  Rank rank;
  QueueKey key;
  OwnerKey owner;
  ClassIndex session_class = kNothing;
  PendingIndex pending = kNothing;
  bool operator<(const OwnerHead& other) const;
};

class RankedLanes {
 public:
  // REQUIRES (add): the session is not there. (remove): the session is there, under these keys.
  void add(const LaneKey& lane, ClassIndex session_class, const OwnerKey& owner, const Queued& queued);
  void remove(const LaneKey& lane, ClassIndex session_class, const OwnerKey& owner, const Queued& queued);

  // What the ranks depend on has changed: for one user, for all owners. The next refresh() updates the ranks.
  void user_changed(std::uint32_t user);
  void everyone_changed() { all_stale_ = true; }
  void capacity_changed() { capacity_stale_ = true; }
  void refresh(const Model& model, const Group& group);
  // As of the last refresh.
  Rank rank(const Group& group, const OwnerKey& owner) const;

  // Counts the sessions that come before one of this lane, rank and key. `by_key`: the number of sessions in
  // the lane with a smaller key.
  std::size_t count_before(const LaneKey& lane, const Rank& rank, const QueueKey& key,
                           std::size_t by_key) const;

  // For the audit (ranked_lanes_audit.cc): the first difference from the group's plain lanes and from the
  // ranks that owners have by now; empty if there is none. REQUIRES: no walk over the lanes is under way.
  std::string broken_invariant(const Model& model, const Group& group) const;

  // The head that comes first in the lane; nullptr if only parked classes are left.
  const OwnerHead* first(const LaneKey& lane) const;
  void park(const LaneKey& lane, ClassIndex session_class);
  void unpark_all(const LaneKey& lane);

 private:
  struct Owner {
    Rank rank;
    bool ranked = false;
    std::set<std::pair<LaneKey, ClassIndex>> places;
    std::map<LaneKey, std::size_t> waiting;  // no zeros
  };
  struct Class {
    std::map<OwnerKey, Ranked<Queued>> queues;
    std::set<OwnerHead> heads;
    bool parked = false;
  };
  struct Lane {
    std::map<ClassIndex, Class> classes;
    std::set<OwnerHead> firsts;  // one of each class that is not parked
    std::vector<ClassIndex> parked;
  };

  // Takes the owner's head in the class out of all levels, and puts it back in.
  void detach(Lane& lane, ClassIndex session_class, const OwnerKey& owner);
  void attach(const LaneKey& key, ClassIndex session_class, const OwnerKey& owner);
  // Counts the owner's sessions in the lane with a smaller key.
  std::size_t count_of(const OwnerKey& name, const Owner& owner, const LaneKey& lane,
                       const QueueKey& key) const;
  void set_rank(const OwnerKey& key, const Rank& rank);
  struct Recount;
  std::string broken_class(const Model& model, const Group& group, const LaneKey& key,
                           ClassIndex session_class, Recount* recount) const;
  std::string broken_owner(const Model& model, const Group& group, const Recount& recount) const;
  static OwnerHead head_of(const Owner& owner, const OwnerKey& key, ClassIndex session_class,
                           const Ranked<Queued>& queue);

  std::map<LaneKey, Lane> lanes_;
  std::map<OwnerKey, Owner> owners_;
  std::set<std::uint32_t> stale_users_;
  std::vector<OwnerKey> new_owners_;
  bool all_stale_ = true;
  bool capacity_stale_ = true;
  std::vector<Amount> capacity_;
};

}  // namespace berth::placement
