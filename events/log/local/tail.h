// The durable state that the appender and the readers share: extents, the newest blocks, and the bells of
// waiting readers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include "events/log/local/batch_row.h"
#include "events/log/local/partition_index.h"

namespace berth::local {

// A reader's bell: rung when one of its partitions grew, or by wake().
class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      rung_ = true;
    }
    changed_.notify_one();
  }
  void wake() {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    changed_.notify_one();
  }
  // Call before looking for entries, so that a later entry ends the wait.
  void silence() {
    const std::lock_guard lock(mutex_);
    rung_ = false;
  }
  enum class Rang { kMore, kWoken, kTimeout };
  Rang wait(Duration at_most);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
  bool woken_ = false;
};

// Thread-safe.
class Tail {
 public:
  Tail(const PartitionIndex& index, std::size_t bytes_max)
      : index_(index), bytes_max_(bytes_max), partitions_(index.size()) {}

  void set_extent(std::size_t partition, Extent extent);
  Extent extent(std::size_t partition) const;
  // Ends of all partitions, in the index's order.
  std::vector<Offset> ends() const;

  struct Added {
    std::size_t partition = 0;
    BlockPtr block;
  };
  // Makes blocks visible and rings the bells of these partitions' readers.
  void publish(std::vector<Added> blocks);
  void set_begin(std::size_t partition, Offset begin);

  // The block that holds `offset`, or null: then `extent` says whether the offset exists (in RocksDB only).
  BlockPtr find(std::size_t partition, Offset offset, Extent& extent) const;

  void subscribe(Bell* bell, const std::vector<std::size_t>& partitions);
  void unsubscribe(Bell* bell, const std::vector<std::size_t>& partitions);

 private:
  struct PartitionTail {
    Extent extent;
    std::deque<BlockPtr> blocks;  // contiguous, up to extent.end
    std::vector<Bell*> bells;
  };
  void evict();

  const PartitionIndex& index_;
  const std::size_t bytes_max_;
  mutable std::mutex mutex_;
  std::vector<PartitionTail> partitions_;
  std::deque<std::size_t> oldest_;  // partition of each block kept, in order of arrival
  std::size_t bytes_ = 0;
};

}  // namespace berth::local
