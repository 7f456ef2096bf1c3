#include "controller/placement/fragmentation/packer.h"

#include <algorithm>

namespace berth::placement::fragmentation {

Packer::Packer(std::span<const Node> nodes, std::span<const Ask> classes, Policy& policy, Ties ties,
               std::uint64_t seed)
    : nodes_(nodes.begin(), nodes.end()),
      classes_(classes.begin(), classes.end()),
      policy_(policy),
      ties_(ties),
      draw_(seed),
      rows_(classes.size()),
      changed_(nodes.size()) {
  policy_.start(nodes_);
}

std::int64_t Packer::place(std::size_t class_index) {
  const Ask& ask = classes_[class_index];
  Row& row = rows_[class_index];
  refresh(ask, row);
  if (row.costs.empty()) return -1;
  const std::int64_t least = *std::min_element(row.costs.begin(), row.costs.end());
  if (least == kNever) return -1;
  const std::size_t node = pick(row, least);
  take(nodes_[node], ask, policy_.rate(node, nodes_[node], ask).device);
  policy_.placed(node, nodes_[node], ask);
  changed_[node] = changes_.size();
  changes_.push_back(static_cast<std::uint32_t>(node));
  return static_cast<std::int64_t>(node);
}

void Packer::rate(const Ask& ask, std::size_t node, Row& row) {
  row.costs[node] = fits(nodes_[node], ask) ? policy_.rate(node, nodes_[node], ask).cost : kNever;
}

void Packer::refresh(const Ask& ask, Row& row) {
  if (row.costs.empty()) {
    row.costs.resize(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) rate(ask, i, row);
  } else {
    for (std::size_t i = row.seen; i < changes_.size(); ++i) {
      const std::size_t node = changes_[i];
      // Nobody gives anything back: where it does not fit it never will.
      if (row.costs[node] != kNever && changed_[node] == i) rate(ask, node, row);
    }
  }
  row.seen = changes_.size();
}

std::size_t Packer::pick(const Row& row, std::int64_t least) {
  const auto first = std::find(row.costs.begin(), row.costs.end(), least);
  const auto count = ties_ == Ties::kFirst ? 1 : std::count(first, row.costs.end(), least);
  auto left = count == 1 ? 0 : draw_.below(static_cast<std::uint64_t>(count));
  auto at = first;
  for (; left > 0; --left) at = std::find(at + 1, row.costs.end(), least);
  return static_cast<std::size_t>(at - row.costs.begin());
}

}  // namespace berth::placement::fragmentation
