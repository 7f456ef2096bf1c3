// Whose turn it is where that depends on whose session it is: drf (least share first) and fair-share (highest
// factors first).
#pragma once

#include <array>
#include <vector>

#include "controller/placement/model/model.h"
#include "controller/placement/order/drf.h"

namespace berth::placement {

// Who ranks together, as name indices: for drf the user alone.
struct OwnerKey {
  std::uint32_t domain = 0;
  std::uint32_t project = 0;
  std::uint32_t user = 0;
  auto operator<=>(const OwnerKey&) const = default;
};

// The smaller comes first. An order uses one of the two, the other is equal for all.
struct Rank {
  Share share;                            // drf
  std::array<std::uint64_t, 3> behind{};  // fair-share: 1 - factor of domain, project, user
};
bool operator<(const Rank& a, const Rank& b);
bool operator==(const Rank& a, const Rank& b);

bool is_ranked(Order order);
OwnerKey owner_of(const Group& group, const Pending& session);
// `capacity` by slot, as capacity_of() gives it; for drf alone.
Rank rank_of(const Group& group, const OwnerKey& owner, const std::vector<Amount>& capacity);

}  // namespace berth::placement
