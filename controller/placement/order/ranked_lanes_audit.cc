// RankedLanes, recounted from the group's plain lanes.
#include <algorithm>

#include "controller/placement/order/ranked_lanes.h"

namespace berth::placement {

// What owners have by the plain lanes.
struct RankedLanes::Recount {
  std::map<OwnerKey, std::map<LaneKey, std::size_t>> waiting;
  std::map<OwnerKey, std::set<std::pair<LaneKey, ClassIndex>>> places;
  std::set<OwnerHead> firsts;  // of the lane under way
};

std::string RankedLanes::broken_class(const Model& model, const Group& group, const LaneKey& key,
                                      ClassIndex session_class, Recount* recount) const {
  const auto& classes = lanes_.at(key).classes;
  const auto found = classes.find(session_class);
  if (found == classes.end()) return "a class of the plain lane is missing";
  const Class& members = found->second;
  if (members.parked) return "a class is parked between passes";
  std::map<OwnerKey, std::vector<Queued>> queues;
  for (const Queued& queued : group.lanes.at(key).queues.at(session_class))
    queues[owner_of(group, model.pending[queued.pending])].push_back(queued);
  if (queues.size() != members.queues.size() || queues.size() != members.heads.size())
    return "a class does not have as many owners and heads as sessions of different owners wait";
  for (const auto& [owner, queue] : queues) {
    const auto known = members.queues.find(owner);
    const auto same = [](const Queued& a, const Queued& b) {
      return a.key == b.key && a.pending == b.pending;
    };
    if (known == members.queues.end() || known->second.size() != queue.size() ||
        !std::equal(queue.begin(), queue.end(), known->second.begin(), same))
      return "the queue of an owner is not the one of the plain lane";
    const auto rank = owners_.find(owner);
    if (rank == owners_.end()) return "an owner that waits is not known";
    const auto head = members.heads.find(head_of(rank->second, owner, session_class, known->second));
    if (head == members.heads.end() || head->owner != owner || head->pending != queue.front().pending)
      return "the head of an owner is missing, or of another session";
    recount->waiting[owner][key] += queue.size();
    recount->places[owner].insert({key, session_class});
  }
  recount->firsts.insert(*members.heads.begin());
  return {};
}

std::string RankedLanes::broken_owner(const Model& model, const Group& group, const Recount& recount) const {
  const bool by_use = group.policy.order == Order::kDrf;
  std::vector<Amount> known = capacity_;
  known.resize(model.slots.size(), 0);  // a slot type may be new that no agent here has
  if (by_use && !capacity_stale_ && known != shared_capacity(model, group))
    return "the capacity of the group has changed, and the ranks do not know it";
  if (recount.places.size() != owners_.size()) return "an owner is known that does not wait";
  const bool stale = all_stale_ || (by_use && capacity_stale_);
  const std::set<OwnerKey> fresh(new_owners_.begin(), new_owners_.end());
  for (const auto& [name, owner] : owners_) {
    const auto places = recount.places.find(name);
    if (places == recount.places.end() || places->second != owner.places)
      return "the places of an owner are miscounted";
    if (recount.waiting.at(name) != owner.waiting) return "the sessions of an owner are miscounted";
    if (stale || fresh.contains(name) || (by_use && stale_users_.contains(name.user))) continue;
    if (!owner.ranked || !(owner.rank == rank_of(group, name, capacity_))) return "an owner has an old rank";
  }
  return {};
}

std::string RankedLanes::broken_invariant(const Model& model, const Group& group) const {
  const std::string where = "group " + group.name + ", ranked lanes: ";
  if (lanes_.size() != group.lanes.size()) return where + "not as many lanes as plain ones";
  Recount recount;
  for (const auto& [key, plain] : group.lanes) {
    const auto lane = lanes_.find(key);
    if (lane == lanes_.end() || lane->second.classes.size() != plain.queues.size())
      return where + "a lane does not have the classes of the plain one";
    if (!lane->second.parked.empty()) return where + "a class is parked between passes";
    recount.firsts.clear();
    for (const auto& [session_class, queue] : plain.queues)
      if (auto text = broken_class(model, group, key, session_class, &recount); !text.empty())
        return where + text;
    const auto same = [](const OwnerHead& a, const OwnerHead& b) {
      return !(a < b) && !(b < a) && a.pending == b.pending;
    };
    if (!std::equal(recount.firsts.begin(), recount.firsts.end(), lane->second.firsts.begin(),
                    lane->second.firsts.end(), same))
      return where + "the first heads of a lane are not those of its classes";
  }
  const std::string text = broken_owner(model, group, recount);
  return text.empty() ? text : where + text;
}

}  // namespace berth::placement
