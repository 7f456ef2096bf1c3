#include "controller/placement/select/agent_tree.h"

#include <algorithm>
#include <cstdint>

namespace berth::placement {

// Rows: leaf  = [width amounts, the key last][tie][agent]
//       inner = [width largest amounts below][key of the first row below][its tie][node]

AgentTree::AgentTree(std::uint32_t width, std::uint32_t key)
    : width_(width), key_(key), root_(make_node(0)) {}

const std::int64_t* AgentTree::row(std::uint32_t node, std::uint32_t index) const {
  const Node& at = nodes_[node];
  const std::size_t step = stride(at);
  return pools_[at.level > 0].data() + (static_cast<std::size_t>(at.place) * fan(at) + index) * step;
}

std::int64_t* AgentTree::row(std::uint32_t node, std::uint32_t index) {
  return const_cast<std::int64_t*>(static_cast<const AgentTree*>(this)->row(node, index));
}

std::uint32_t AgentTree::make_node(std::uint32_t level) {
  const bool inner = level > 0;
  std::uint32_t node;
  if (!free_[inner].empty()) {
    node = free_[inner].back();
    free_[inner].pop_back();
    nodes_[node].count = 0;
    nodes_[node].level = level;
    return node;
  }
  node = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({0, level, 0});
  const std::size_t size = static_cast<std::size_t>(stride(nodes_[node])) * fan(nodes_[node]);
  nodes_[node].place = static_cast<std::uint32_t>(pools_[inner].size() / size);
  pools_[inner].resize(pools_[inner].size() + size);
  return node;
}

void AgentTree::free_node(std::uint32_t node) { free_[nodes_[node].level > 0].push_back(node); }

bool AgentTree::key_less(const std::int64_t* a, const std::int64_t* b) const {
  for (std::uint32_t i = 0; i <= key_; ++i) {  // the tie stands behind the key
    if (a[i] != b[i]) return a[i] < b[i];
  }
  return false;
}

// How many entries are not above the key.
std::uint32_t AgentTree::first_above(std::uint32_t node, const std::int64_t* key) const {
  const std::uint32_t at = key_at(nodes_[node]);
  std::uint32_t low = 0;
  std::uint32_t high = nodes_[node].count;
  for (std::uint32_t i = 0; i < high; i += 4)
    __builtin_prefetch(row(node, i) + at);  // the first steps look there, all at once
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (key_less(key, row(node, middle) + at))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

void AgentTree::open_gap(std::uint32_t node, std::uint32_t index) {
  std::copy_backward(row(node, index), row(node, nodes_[node].count), row(node, nodes_[node].count + 1));
  ++nodes_[node].count;
}

void AgentTree::close_gap(std::uint32_t node, std::uint32_t index) {
  std::copy(row(node, index + 1), row(node, nodes_[node].count), row(node, index));
  --nodes_[node].count;
}

std::int64_t AgentTree::largest(std::uint32_t child, std::uint32_t column, std::int64_t bound) const {
  const std::uint32_t step = stride(nodes_[child]);
  const std::int64_t* entry = row(child, 0) + column;
  std::int64_t most = *entry;
  for (std::uint32_t i = 1; i < nodes_[child].count && most < bound; ++i)
    most = std::max(most, *(entry += step));
  return most;
}

void AgentTree::summarize(std::uint32_t child, std::int64_t* entry) const {
  for (std::uint32_t column = 0; column < width_; ++column) entry[column] = largest(child, column, INT64_MAX);
  const std::int64_t* key = row(child, 0) + key_at(nodes_[child]);
  std::copy(key, key + key_ + 1, entry + width_);
  entry[width_ + key_ + 1] = child;
}

std::size_t AgentTree::size_below(std::uint32_t node) const {
  const Node& at = nodes_[node];
  if (at.level == 0) return at.count;
  std::size_t sum = 0;
  for (std::uint32_t i = 0; i < at.count; ++i)
    sum += size_below(static_cast<std::uint32_t>(row(node, i)[width_ + key_ + 1]));
  return sum;
}

bool AgentTree::finds(const std::int64_t* wanted, AgentIndex agent) const {
  for (std::uint32_t node = root_;;) {
    const std::uint32_t above = first_above(node, wanted + width_ - key_);
    if (above == 0) return false;
    const std::int64_t* entry = row(node, above - 1);
    if (nodes_[node].level == 0)
      return std::equal(wanted, wanted + width_ + 1, entry) &&
             entry[width_ + 1] == static_cast<std::int64_t>(agent);
    for (std::uint32_t column = 0; column < width_; ++column)
      if (entry[column] < wanted[column]) return false;
    node = static_cast<std::uint32_t>(entry[width_ + key_ + 1]);
  }
}

// Moves the upper half into a new node, which is returned.
std::uint32_t AgentTree::split(std::uint32_t node) {
  const std::uint32_t made = make_node(nodes_[node].level);
  const std::uint32_t count = nodes_[node].count;
  const std::uint32_t half = count / 2;
  std::copy(row(node, half), row(node, count), row(made, 0));
  nodes_[node].count = half;
  nodes_[made].count = count - half;
  return made;
}

void AgentTree::insert(const std::int64_t* added, AgentIndex agent) {
  const std::uint32_t made = insert_below(root_, added, agent);
  if (made == kNone) return;
  const std::uint32_t root = make_node(nodes_[root_].level + 1);
  nodes_[root].count = 2;
  summarize(root_, row(root, 0));
  summarize(made, row(root, 1));
  root_ = root;
}

// kNone, or the node that took the upper half of this one.
std::uint32_t AgentTree::insert_below(std::uint32_t node, const std::int64_t* added, AgentIndex agent) {
  const std::int64_t* key = added + width_ - key_;
  if (nodes_[node].level == 0) {
    std::uint32_t index = first_above(node, key);
    std::uint32_t made = kNone;
    std::uint32_t target = node;
    if (nodes_[node].count == fan(nodes_[node])) {
      made = split(node);
      if (index > nodes_[node].count) {
        target = made;
        index -= nodes_[node].count;
      }
    }
    open_gap(target, index);
    std::int64_t* entry = row(target, index);
    std::copy(added, added + width_ + 1, entry);
    entry[width_ + 1] = agent;
    return made;
  }
  const std::uint32_t above = first_above(node, key);
  const std::uint32_t index = above == 0 ? 0 : above - 1;
  std::int64_t* entry = row(node, index);
  const auto child = static_cast<std::uint32_t>(entry[width_ + key_ + 1]);
  const std::uint32_t extra = insert_below(child, added, agent);
  entry = row(node, index);  // the pools may have moved
  if (extra == kNone) {
    for (std::uint32_t column = 0; column < width_; ++column)
      entry[column] = std::max(entry[column], added[column]);
    if (above == 0) std::copy(key, key + key_ + 1, entry + width_);
    return kNone;
  }
  summarize(child, entry);
  std::uint32_t made = kNone;
  std::uint32_t target = node;
  std::uint32_t place = index + 1;
  if (nodes_[node].count == fan(nodes_[node])) {
    made = split(node);
    if (place > nodes_[node].count) {
      target = made;
      place -= nodes_[node].count;
    }
  }
  open_gap(target, place);
  summarize(extra, row(target, place));
  return made;
}

void AgentTree::erase(const std::int64_t* removed) {
  erase_below(root_, removed);
  while (nodes_[root_].level > 0 && nodes_[root_].count == 1) {
    const std::uint32_t old = root_;
    root_ = static_cast<std::uint32_t>(row(root_, 0)[width_ + key_ + 1]);
    free_node(old);
  }
}

void AgentTree::erase_below(std::uint32_t node, const std::int64_t* removed) {
  const std::int64_t* key = removed + width_ - key_;
  const std::uint32_t index = first_above(node, key) - 1;
  if (nodes_[node].level == 0) {
    close_gap(node, index);
    return;
  }
  std::int64_t* entry = row(node, index);
  const auto child = static_cast<std::uint32_t>(entry[width_ + key_ + 1]);
  erase_below(child, removed);
  if (nodes_[child].count == 0) {
    free_node(child);
    close_gap(node, index);
    return;
  }
  for (std::uint32_t column = 0; column < width_; ++column) {
    if (entry[column] == removed[column]) entry[column] = largest(child, column, removed[column]);
  }
  const std::int64_t* first = row(child, 0) + key_at(nodes_[child]);
  std::copy(first, first + key_ + 1, entry + width_);
  if (nodes_[child].count < fan(nodes_[child]) / 4) merge_small(node, index);
}

// A node that got small joins its neighbour if both fit with room to spare.
void AgentTree::merge_small(std::uint32_t node, std::uint32_t index) {
  if (nodes_[node].count < 2) return;
  const std::uint32_t left_index = index + 1 < nodes_[node].count ? index : index - 1;
  const auto left = static_cast<std::uint32_t>(row(node, left_index)[width_ + key_ + 1]);
  const auto right = static_cast<std::uint32_t>(row(node, left_index + 1)[width_ + key_ + 1]);
  if (nodes_[left].count + nodes_[right].count > fan(nodes_[left]) * 3 / 4) return;
  std::copy(row(right, 0), row(right, nodes_[right].count), row(left, nodes_[left].count));
  nodes_[left].count += nodes_[right].count;
  free_node(right);
  close_gap(node, left_index + 1);
  summarize(left, row(node, left_index));
}

}  // namespace berth::placement
