// Dominant resource fairness: the session of the user who holds least comes next, again after every
// placement.
#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "controller/placement/model/model.h"

namespace berth::placement {

// A user's dominant share as an exact fraction: the largest held / capacity over slots of which the group has
// any.
struct Share {
  Amount held = 0;
  Amount capacity = 1;
};
bool less(const Share& a, const Share& b);
// `held` and `capacity` by slot.
Share dominant_share(std::span<const Amount> held, std::span<const Amount> capacity);
// Of agents that take sessions now.
std::vector<Amount> capacity_of(const Model& model, const Group& group);

// Hands out the sessions of a pass: lanes in order, inside a lane the user with the least share first (ties:
// whose session comes first in the queue), each user's sessions in queue order.
class DrfOrder {
 public:
  DrfOrder(const Model& model, const Group& group, const std::vector<PendingIndex>& queue);
  // kNothing at the end. What was placed since counts.
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
