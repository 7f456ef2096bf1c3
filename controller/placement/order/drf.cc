#include "controller/placement/order/drf.h"

#include "controller/placement/model/catalog.h"
#include "controller/placement/order/queue.h"

namespace berth::placement {

bool less(const Share& a, const Share& b) {
  return static_cast<__int128>(a.occupied) * b.capacity < static_cast<__int128>(b.occupied) * a.capacity;
}

Share dominant_share(std::span<const Amount> occupied, std::span<const Amount> capacity) {
  Share most;
  for (std::size_t slot = 0; slot < occupied.size() && slot < capacity.size(); ++slot) {
    if (capacity[slot] <= 0) continue;
    const Share share{occupied[slot], capacity[slot]};
    if (less(most, share)) most = share;
  }
  return most;
}

std::vector<Amount> capacity_of(const Model& model, const Group& group) {
  std::vector<Amount> capacity(model.slots.size(), 0);
  for (const auto& [label, index] : group.agents) {
    if (!model.agents[index].takes_more()) continue;
    for (const SlotCell& cell : model.agents[index].cells) capacity[cell.slot] += cell.capacity;
  }
  return capacity;
}

std::vector<Amount> shared_capacity(const Model& model, const Group& group) {
  std::vector<Amount> capacity = capacity_of(model, group);
  for (SlotId slot = 0; slot < capacity.size(); ++slot)
    if (!is_rated(model, group.policy, slot)) capacity[slot] = 0;
  return capacity;
}

bool DrfOrder::Candidate::operator<(const Candidate& other) const {
  if (less(share, other.share)) return true;
  if (less(other.share, share)) return false;
  return place < other.place;
}

DrfOrder::DrfOrder(const Model& model, const Group& group, const std::vector<PendingIndex>& queue)
    : model_(model), group_(group), capacity_(shared_capacity(model, group)) {
  for (const PendingIndex session : queue) queue_.emplace_back(lane_of(model.pending[session]), session);
}

Share DrfOrder::share_of(std::uint32_t user) const {
  const auto occupied = group_.occupied_by_user.find(user);
  return occupied == group_.occupied_by_user.end() ? Share{} : dominant_share(occupied->second, capacity_);
}

void DrfOrder::load_lane() {
  const LaneKey lane = queue_[loaded_].first;
  for (; loaded_ < queue_.size() && queue_[loaded_].first == lane; ++loaded_) {
    waiting_[model_.pending[queue_[loaded_].second].user].push_back(loaded_);
  }
  for (const auto& [user, sessions] : waiting_) candidates_.insert({share_of(user), sessions.front(), user});
}

PendingIndex DrfOrder::next() {
  if (last_user_ != kNothing) {  // back with the share that its last session left it with
    const auto waiting = waiting_.find(last_user_);
    if (waiting->second.empty())
      waiting_.erase(waiting);
    else
      candidates_.insert({share_of(last_user_), waiting->second.front(), last_user_});
    last_user_ = kNothing;
  }
  if (candidates_.empty()) {
    if (loaded_ == queue_.size()) return kNothing;
    load_lane();
  }
  const Candidate first = *candidates_.begin();
  candidates_.erase(candidates_.begin());
  waiting_[first.user].pop_front();
  last_user_ = first.user;
  return queue_[first.place].second;
}

}  // namespace berth::placement
