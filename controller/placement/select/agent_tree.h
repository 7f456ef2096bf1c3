// AgentTree: an ordered set of agents that finds the first (or last) agent with enough of every amount.
//
// A B+ tree over rows of integers. A row is `width` amounts, of which the last `key` are the order (with
// `tie` behind them); every inner entry knows the largest of each amount below it, so a search skips what
// cannot have enough. Insert and erase cost O(log n); a search too, unless many agents have enough of each
// amount but of no two at once.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/placement/types.h"

namespace berth::placement {

class AgentTree {
 public:
  // A row's amount at `column` must be `least` or more.
  struct Ask {
    std::uint32_t column;
    std::int64_t least;
  };

  AgentTree(std::uint32_t width, std::uint32_t key);

  // `row`: width amounts, then the tie. REQUIRES: (key, tie) is in the tree once at most (insert: not yet;
  // erase: it is).
  void insert(const std::int64_t* row, AgentIndex agent);
  void erase(const std::int64_t* row);
  bool empty() const { return nodes_[root_].count == 0; }
  std::size_t size() const { return size_below(root_); }  // goes over all leaves; for the audit
  // Whether a search finds the agent under exactly this row: no entry on the way there knows less than the
  // row has. For the audit.
  bool finds(const std::int64_t* row, AgentIndex agent) const;
  std::size_t bytes() const {
    return nodes_.capacity() * sizeof(Node) +
           (pools_[0].capacity() + pools_[1].capacity()) * sizeof(std::int64_t);
  }

  // The first agent in order (`last`: from the end) that has what is asked and that `accept(agent)` takes;
  // kNoAgent if none.
  template <class Accept> AgentIndex find(const std::vector<Ask>& asks, bool last, Accept&& accept) const {
    return find_below(root_, asks, last, accept);
  }

 private:
  // Entries of a leaf and of an inner node: leaves are many and cold, so a change should touch little of one.
  static constexpr std::uint32_t kLeafFan = 16;
  static constexpr std::uint32_t kInnerFan = 32;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct Node {
    std::uint32_t count = 0;
    std::uint32_t level = 0;  // 0: a leaf
    std::uint32_t place = 0;  // in the pool of its kind
  };

  static std::uint32_t fan(const Node& node) { return node.level == 0 ? kLeafFan : kInnerFan; }
  std::uint32_t stride(const Node& node) const { return node.level == 0 ? width_ + 2 : width_ + key_ + 2; }
  std::uint32_t key_at(const Node& node) const { return node.level == 0 ? width_ - key_ : width_; }
  std::int64_t* row(std::uint32_t node, std::uint32_t index);
  const std::int64_t* row(std::uint32_t node, std::uint32_t index) const;
  std::uint32_t make_node(std::uint32_t level);
  void free_node(std::uint32_t node);
  bool key_less(const std::int64_t* a, const std::int64_t* b) const;
  std::size_t size_below(std::uint32_t node) const;
  std::uint32_t first_above(std::uint32_t node, const std::int64_t* key) const;
  void open_gap(std::uint32_t node, std::uint32_t index);
  void close_gap(std::uint32_t node, std::uint32_t index);
  void summarize(std::uint32_t child, std::int64_t* entry) const;
  // No more than `bound`, at which it stops looking.
  std::int64_t largest(std::uint32_t child, std::uint32_t column, std::int64_t bound) const;
  std::uint32_t split(std::uint32_t node);
  std::uint32_t insert_below(std::uint32_t node, const std::int64_t* added, AgentIndex agent);
  void erase_below(std::uint32_t node, const std::int64_t* removed);
  void merge_small(std::uint32_t node, std::uint32_t index);

  template <class Accept>
  AgentIndex find_below(std::uint32_t node, const std::vector<Ask>& asks, bool last, Accept& accept) const {
    const Node& at = nodes_[node];
    const std::uint32_t step = stride(at);
    const std::int64_t* entries = row(node, 0);
    for (std::uint32_t n = 0; n < at.count; ++n) {
      const std::int64_t* entry = entries + static_cast<std::size_t>(last ? at.count - 1 - n : n) * step;
      bool enough = true;
      for (const Ask& ask : asks) enough = enough && entry[ask.column] >= ask.least;
      if (!enough) continue;
      const auto below = static_cast<std::uint32_t>(entry[step - 1]);
      if (at.level > 0) {
        const AgentIndex found = find_below(below, asks, last, accept);
        if (found != kNoAgent) return found;
      } else if (accept(below)) {
        return below;
      }
    }
    return kNoAgent;
  }

  std::uint32_t width_;
  std::uint32_t key_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> free_[2];  // node ids: leaves, inner nodes
  std::vector<std::int64_t> pools_[2];
  std::uint32_t root_;  // made from the tables above: stands last
};

}  // namespace berth::placement
