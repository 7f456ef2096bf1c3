// Dominant resource fairness: the next session is one of the user with the least dominant share. Each
// placement changes a share.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "controller/placement/model/model.h"

namespace berth::placement {

// A user's dominant share as an exact fraction: the largest occupied / capacity over the slots that the group
// has.
struct Share {
  Amount occupied = 0;
  Amount capacity = 1;
};
bool less(const Share& a, const Share& b);
// `occupied` and `capacity` by slot.
Share dominant_share(std::span<const Amount> occupied, std::span<const Amount> capacity);
// The capacity of the agents that take sessions now, by slot.
std::vector<Amount> capacity_of(const Model& model, const Group& group);
// The same of the slots that shares are of, 0 of the others (is_rated).
std::vector<Amount> shared_capacity(const Model& model, const Group& group);

// Hands out the sessions of a pass that considers each session: lanes in order; in a lane the user with the
// least share first (ties: the earlier session in the queue); sessions of one user in queue order.
class DrfOrder {
 public:
  DrfOrder(const Model& model, const Group& group, const std::vector<PendingIndex>& queue);
  // The next session, kNothing at the end. Placements since the last call count in the shares.
  PendingIndex next();

 private:
  struct Candidate {
    Share share;
    std::size_t place;  // in the queue
    std::uint32_t user;
    bool operator<(const Candidate& other) const;
  };
  Share share_of(std::uint32_t user) const;
  void load_lane();

  const Model& model_;
  const Group& group_;
  std::vector<Amount> capacity_;
  std::vector<std::pair<LaneKey, PendingIndex>> queue_;
  std::size_t loaded_ = 0;
  std::map<std::uint32_t, std::deque<std::size_t>> waiting_;  // of this lane, by user
  std::set<Candidate> candidates_;
  std::uint32_t last_user_ = kNothing;
};

}  // namespace berth::placement
