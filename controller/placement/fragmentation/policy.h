// Policy: a selection policy as the packer (packer.h) runs it: the cost of each node for an ask. `balanced`
// is in balanced.h; the published policies are with the openb benchmark.
#pragma once

#include <cstdint>
#include <span>

#include "controller/placement/fragmentation/node.h"

namespace berth::placement::fragmentation {

// The node with the smallest cost is taken. `device` is where a fraction goes.
struct Rating {
  std::int64_t cost = 0;
  std::int32_t device = kNoDevice;
};

// May keep facts of each node between placements. Owned by one Packer; one strand.
class Policy {
 public:
  virtual ~Policy() = default;
  // Forgets all nodes and begins with these.
  virtual void start(std::span<const Node> nodes) = 0;
  // REQUIRES: fits(node, ask). Depends only on that node's state and the ask, so that the caller may keep it.
  virtual Rating rate(std::size_t index, const Node& node, const Ask& ask) const = 0;
  virtual void placed(std::size_t index, const Node& after, const Ask& ask) = 0;
};

}  // namespace berth::placement::fragmentation
