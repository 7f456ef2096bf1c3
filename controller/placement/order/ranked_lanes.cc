#include "controller/placement/order/ranked_lanes.h"

namespace berth::placement {

bool OwnerHead::operator<(const OwnerHead& other) const {
  if (rank < other.rank) return true;
  if (other.rank < rank) return false;
  return key < other.key;
}

OwnerHead RankedLanes::head_of(const Owner& owner, const OwnerKey& key, ClassIndex session_class,
                               const Ranked<Queued>& queue) {
  return {owner.rank, queue.begin()->key, key, session_class, queue.begin()->pending};
}

void RankedLanes::detach(Lane& lane, ClassIndex session_class, const OwnerKey& owner) {
  Class& members = lane.classes[session_class];
  const Ranked<Queued>& queue = members.queues[owner];
  if (queue.empty()) return;
  const OwnerHead head = head_of(owners_[owner], owner, session_class, queue);
  const bool was_first = !(*members.heads.begin() < head);
  members.heads.erase(head);
  if (!was_first || members.parked) return;
  lane.firsts.erase(head);
  if (!members.heads.empty()) lane.firsts.insert(*members.heads.begin());
}

void RankedLanes::attach(const LaneKey& key, ClassIndex session_class, const OwnerKey& owner) {
  Lane& lane = lanes_[key];
  Class& members = lane.classes[session_class];
  const auto queue = members.queues.find(owner);
  if (queue->second.empty()) {
    members.queues.erase(queue);
    Owner& gone = owners_[owner];
    gone.places.erase({key, session_class});
    if (gone.places.empty()) owners_.erase(owner);
    if (!members.queues.empty()) return;
    lane.classes.erase(session_class);
    std::erase(lane.parked, session_class);
    if (lane.classes.empty()) lanes_.erase(key);
    return;
  }
  const OwnerHead head = head_of(owners_[owner], owner, session_class, queue->second);
  const bool is_first = members.heads.empty() || head < *members.heads.begin();
  if (is_first && !members.parked) {
    if (!members.heads.empty()) lane.firsts.erase(*members.heads.begin());
    lane.firsts.insert(head);
  }
  members.heads.insert(head);
}

void RankedLanes::add(const LaneKey& lane, ClassIndex session_class, const OwnerKey& owner,
                      const Queued& queued) {
  detach(lanes_[lane], session_class, owner);
  Owner& known = owners_[owner];
  if (!known.ranked) new_owners_.push_back(owner);
  known.places.insert({lane, session_class});
  ++known.waiting[lane];
  lanes_[lane].classes[session_class].queues[owner].insert(queued);
  attach(lane, session_class, owner);
}

void RankedLanes::remove(const LaneKey& lane, ClassIndex session_class, const OwnerKey& owner,
                         const Queued& queued) {
  detach(lanes_[lane], session_class, owner);
  lanes_[lane].classes[session_class].queues[owner].erase(queued);
  auto& waiting = owners_[owner].waiting;
  if (--waiting[lane] == 0) waiting.erase(lane);
  attach(lane, session_class, owner);
}

void RankedLanes::set_rank(const OwnerKey& key, const Rank& rank) {
  const auto found = owners_.find(key);
  if (found == owners_.end()) return;
  found->second.ranked = true;
  if (found->second.rank == rank) return;
  for (const auto& [lane, session_class] : found->second.places) detach(lanes_[lane], session_class, key);
  found->second.rank = rank;
  for (const auto& [lane, session_class] : found->second.places) attach(lane, session_class, key);
}

void RankedLanes::user_changed(std::uint32_t user) { stale_users_.insert(user); }

void RankedLanes::refresh(const Model& model, const Group& group) {
  if (capacity_stale_ && group.policy.order == Order::kDrf) {
    std::vector<Amount> capacity = shared_capacity(model, group);
    all_stale_ = all_stale_ || capacity != capacity_;
    capacity_ = std::move(capacity);
  }
  capacity_stale_ = false;
  std::vector<OwnerKey> stale;
  if (all_stale_) {
    for (const auto& [key, owner] : owners_) stale.push_back(key);
  } else {
    stale.swap(new_owners_);
    for (const std::uint32_t user : stale_users_) stale.push_back({0, 0, user});  // drf
  }
  new_owners_.clear();
  stale_users_.clear();
  all_stale_ = false;
  for (const OwnerKey& key : stale) set_rank(key, rank_of(group, key, capacity_));
}

Rank RankedLanes::rank(const Group& group, const OwnerKey& owner) const {
  const auto known = owners_.find(owner);
  return known != owners_.end() ? known->second.rank : rank_of(group, owner, capacity_);
}

std::size_t RankedLanes::count_of(const OwnerKey& name, const Owner& owner, const LaneKey& lane,
                                  const QueueKey& key) const {
  std::size_t before = 0;
  if (!owner.waiting.contains(lane)) return 0;
  for (auto place = owner.places.lower_bound({lane, 0}); place != owner.places.end() && place->first == lane;
       ++place)
    before += lanes_.at(lane).classes.at(place->second).queues.at(name).rank({key, 0});
  return before;
}

std::size_t RankedLanes::count_before(const LaneKey& lane, const Rank& rank, const QueueKey& key,
                                      std::size_t by_key) const {
  std::size_t before = 0;
  std::size_t places[2] = {0, 0};  // of owners of another rank, and of the same
  for (const auto& [name, owner] : owners_) {
    const bool earlier = owner.rank < rank;
    for (const auto& [at, count] : owner.waiting) before += at < lane || (at == lane && earlier) ? count : 0;
    places[owner.rank == rank] += owner.places.size();
  }
  const bool same = places[true] <= places[false];  // whom to count: those of the same rank, or all others
  std::size_t counted = 0;
  for (const auto& [name, owner] : owners_)
    if ((owner.rank == rank) == same) counted += count_of(name, owner, lane, key);
  return before + (same ? counted : by_key - counted);
}

const OwnerHead* RankedLanes::first(const LaneKey& key) const {
  const auto lane = lanes_.find(key);
  return lane == lanes_.end() || lane->second.firsts.empty() ? nullptr : &*lane->second.firsts.begin();
}

void RankedLanes::park(const LaneKey& key, ClassIndex session_class) {
  Lane& lane = lanes_[key];
  Class& members = lane.classes[session_class];
  lane.firsts.erase(*members.heads.begin());
  members.parked = true;
  lane.parked.push_back(session_class);
}

void RankedLanes::unpark_all(const LaneKey& key) {
  const auto lane = lanes_.find(key);
  if (lane == lanes_.end()) return;
  for (const ClassIndex session_class : lane->second.parked) {
    Class& members = lane->second.classes[session_class];
    members.parked = false;
    lane->second.firsts.insert(*members.heads.begin());
  }
  lane->second.parked.clear();
}

}  // namespace berth::placement
