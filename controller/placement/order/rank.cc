#include "controller/placement/order/rank.h"

#include "controller/placement/order/fair_share.h"

namespace berth::placement {

bool operator<(const Rank& a, const Rank& b) {
  if (less(a.share, b.share)) return true;
  if (less(b.share, a.share)) return false;
  return a.behind < b.behind;
}

bool operator==(const Rank& a, const Rank& b) { return !(a < b) && !(b < a); }

bool is_ranked(Order order) { return order == Order::kDrf || order == Order::kFairShare; }

OwnerKey owner_of(const Group& group, const Pending& session) {
  if (group.policy.order == Order::kDrf) return {0, 0, session.user};
  return {session.domain, session.project, session.user};
}

namespace {

std::uint64_t behind(const Group& group, ShareScope scope, std::uint32_t name) {
  const auto known = group.factors.find({scope, name});
  return known == group.factors.end() ? kOneFactor : kOneFactor - known->second;
}

}  // namespace

Rank rank_of(const Group& group, const OwnerKey& owner, const std::vector<Amount>& capacity) {
  Rank rank;
  if (group.policy.order == Order::kDrf) {
    const auto occupied = group.occupied_by_user.find(owner.user);
    if (occupied != group.occupied_by_user.end()) rank.share = dominant_share(occupied->second, capacity);
  } else if (group.policy.order == Order::kFairShare) {
    rank.behind = {behind(group, ShareScope::kDomain, owner.domain),
                   behind(group, ShareScope::kProject, owner.project),
                   behind(group, ShareScope::kUser, owner.user)};
  }
  return rank;
}

}  // namespace berth::placement
