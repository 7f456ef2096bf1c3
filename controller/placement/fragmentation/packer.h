// Packer: places asks one after another on nodes by a selection policy. No ask departs; an ask that fits
// nowhere is not placed.
//
// Ratings are kept by class and node. A node that changed since the class came last is rated once more, so a
// placement costs a look at a row of numbers and a few ratings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "controller/placement/fragmentation/draw.h"
#include "controller/placement/fragmentation/policy.h"

namespace berth::placement::fragmentation {

// Which of several nodes of equal cost: the first, or a drawn one (as kube-scheduler and so the published
// selection policies do).
enum class Ties : std::uint8_t { kFirst, kDrawn };

class Packer {
 public:
  // `classes` are the distinct asks; place() names them by their place here. The spans' contents are copied.
  Packer(std::span<const Node> nodes, std::span<const Ask> classes, Policy& policy, Ties ties,
         std::uint64_t seed);

  // The node, or -1 if the class fits on none.
  std::int64_t place(std::size_t class_index);

  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  static constexpr std::int64_t kNever = INT64_MAX;  // the cost of a node on which it does not fit

  struct Row {
    std::vector<std::int64_t> costs;  // by node
    std::size_t seen = 0;             // of changes_
  };

  void refresh(const Ask& ask, Row& row);
  void rate(const Ask& ask, std::size_t node, Row& row);
  std::size_t pick(const Row& row, std::int64_t least);

  std::vector<Node> nodes_;
  std::vector<Ask> classes_;
  Policy& policy_;
  Ties ties_;
  Draw draw_;
  std::vector<Row> rows_;               // by class
  std::vector<std::uint32_t> changes_;  // nodes, as they changed
  std::vector<std::size_t> changed_;    // by node: the place in changes_ of its last change
};

}  // namespace berth::placement::fragmentation
