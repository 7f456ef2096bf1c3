#include "events/log/local/tail.h"

#include <algorithm>
#include <chrono>

namespace berth::local {

Bell::Rang Bell::wait(Duration at_most) {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return rung_ || woken_; };
  if (at_most > 0) changed_.wait_for(lock, std::chrono::nanoseconds(at_most), ready);
  if (woken_) {
    woken_ = false;
    return Rang::kWoken;
  }
  return rung_ ? Rang::kMore : Rang::kTimeout;
}

void Tail::set_extent(std::size_t partition, Extent extent) {
  const std::lock_guard lock(mutex_);
  partitions_[partition].extent = extent;
}

Extent Tail::extent(std::size_t partition) const {
  const std::lock_guard lock(mutex_);
  return partitions_[partition].extent;
}

std::vector<Offset> Tail::ends() const {
  const std::lock_guard lock(mutex_);
  std::vector<Offset> ends;
  ends.reserve(partitions_.size());
  for (const PartitionTail& partition : partitions_) ends.push_back(partition.extent.end);
  return ends;
}

void Tail::publish(std::vector<Added> blocks) {
  const std::lock_guard lock(mutex_);
  for (Added& added : blocks) {
    PartitionTail& tail = partitions_[added.partition];
    tail.extent.end = added.block->end();
    bytes_ += added.block->bytes.size();
    tail.blocks.push_back(std::move(added.block));
    oldest_.push_back(added.partition);
  }
  evict();
  // Under the lock: a bell cannot go away meanwhile (unsubscribe waits for the lock).
  for (const Added& added : blocks) {
    for (Bell* bell : partitions_[added.partition].bells) bell->ring();
  }
}

void Tail::set_begin(std::size_t partition, Offset begin) {
  const std::lock_guard lock(mutex_);
  partitions_[partition].extent.begin = begin;
}

void Tail::evict() {
  while (bytes_ > bytes_max_ && oldest_.size() > 1) {
    PartitionTail& tail = partitions_[oldest_.front()];
    bytes_ -= tail.blocks.front()->bytes.size();
    tail.blocks.pop_front();
    oldest_.pop_front();
  }
}

BlockPtr Tail::find(std::size_t partition, Offset offset, Extent& extent) const {
  const std::lock_guard lock(mutex_);
  const PartitionTail& tail = partitions_[partition];
  extent = tail.extent;
  if (offset < extent.begin || offset >= extent.end || tail.blocks.empty() ||
      offset < tail.blocks.front()->first)
    return nullptr;
  if (offset >= tail.blocks.back()->first) return tail.blocks.back();
  const auto after =
      std::upper_bound(tail.blocks.begin(), tail.blocks.end(), offset,
                       [](Offset wanted, const BlockPtr& block) { return wanted < block->first; });
  return *std::prev(after);
}

void Tail::subscribe(Bell* bell, const std::vector<std::size_t>& partitions) {
  const std::lock_guard lock(mutex_);
  for (const std::size_t partition : partitions) partitions_[partition].bells.push_back(bell);
}

void Tail::unsubscribe(Bell* bell, const std::vector<std::size_t>& partitions) {
  const std::lock_guard lock(mutex_);
  for (const std::size_t partition : partitions) std::erase(partitions_[partition].bells, bell);
}

}  // namespace berth::local
