// How much a policy likes a node for an ask. The published ones are in published.h, ours in balanced.h.
#pragma once

#include <cstdint>
#include <span>

#include "controller/placement/fragmentation/node.h"

namespace berth::placement::fragmentation {

// Of two nodes the one with the smaller cost is taken. `device` is where a fraction goes.
struct Rating {
  std::int64_t cost = 0;
  std::int32_t device = kNoDevice;
};

// Keeps what it needs to know of each node between placements. Owned by one Packer; one strand.
class Policy {
 public:
  virtual ~Policy() = default;
  // Forgets all and begins with these nodes.
  virtual void start(std::span<const Node> nodes) = 0;
  // REQUIRES: fits(node, ask). Depends on nothing but that node's state and the ask, so that it may be kept.
  virtual Rating rate(std::size_t index, const Node& node, const Ask& ask) const = 0;
  virtual void placed(std::size_t index, const Node& after, const Ask& ask) = 0;
};

}  // namespace berth::placement::fragmentation
