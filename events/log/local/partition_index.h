// Dense numbers for the partitions of a layout: streams in their order, partitions in theirs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "events/log/event_log.h"

namespace berth::local {

class PartitionIndex {
 public:
  explicit PartitionIndex(const LogLayout& layout) {
    for (int s = 0; s < kStreamCount; ++s) {
      const auto stream = static_cast<Stream>(s);
      base_[static_cast<std::size_t>(s)] = partitions_.size();
      for (std::uint32_t n = 0; n < layout.partitions_of(stream); ++n) partitions_.push_back({stream, n});
    }
  }

  std::size_t size() const { return partitions_.size(); }
  // REQUIRES: the layout has the partition
  std::size_t of(Partition partition) const {
    return base_[static_cast<std::size_t>(partition.stream)] + partition.number;
  }
  Partition at(std::size_t index) const { return partitions_[index]; }

 private:
  std::array<std::size_t, kStreamCount> base_{};
  std::vector<Partition> partitions_;
};

// False for liveness streams: a power loss may take their last seconds. The end mark leaves them out.
inline bool needs_sync(Stream stream) {
  return stream != Stream::kHealth && stream != Stream::kControl && stream != Stream::kUsage;
}

// The time for which a stream's rows are kept; 0 = for ever.
inline Duration kept_for(Stream stream) {
  switch (stream) {
    case Stream::kJournal: return 0;
    case Stream::kRequests:
    case Stream::kReports:
    case Stream::kOrders: return 7 * kDay;
    case Stream::kHealth:
    case Stream::kControl: return kHour;
    case Stream::kUsage: return kDay;
  }
  return 0;
}

}  // namespace berth::local
