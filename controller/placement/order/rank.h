// Ranks of owners, for orders that depend on the owner of a session: drf (least share first) and fair-share
// (highest factors first).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/placement/model/model.h"
#include "controller/placement/order/drf.h"

namespace berth::placement {

// Sessions of one owner have one rank. Name indexes; drf uses the user alone.
struct OwnerKey {
  std::uint32_t domain = 0;
  std::uint32_t project = 0;
  std::uint32_t user = 0;
  auto operator<=>(const OwnerKey&) const = default;
};

// The smaller rank comes first. Each order uses one of the two fields; the other is equal for all owners.
struct Rank {
  Share share;                            // drf
  std::array<std::uint64_t, 3> behind{};  // fair-share: 1 - factor of domain, project, user
};
bool operator<(const Rank& a, const Rank& b);
bool operator==(const Rank& a, const Rank& b);

bool is_ranked(Order order);
OwnerKey owner_of(const Group& group, const Pending& session);
// `capacity`: by slot, from shared_capacity(); used by drf alone.
Rank rank_of(const Group& group, const OwnerKey& owner, const std::vector<Amount>& capacity);

}  // namespace berth::placement
