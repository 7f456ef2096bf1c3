// The errors and checks that all implementations of EventLog share.
#pragma once

#include "events/log/event_log.h"

namespace berth {

// "offset-out-of-range": names the position and the extent.
Error offset_out_of_range(Partition partition, Offset position, Extent extent);
Error payload_too_large(std::size_t bytes);
// "no-such-partition" unless the layout has it.
Result<void> check_partition(const LogLayout& layout, Partition partition);
Result<void> check_partitions(const LogLayout& layout, const std::vector<ReadFrom>& from);

// P26, second half: the log must reach at least `needed`, the offset up to which a projection has read. Error
// "log-truncated" names both. Works on any log; the caller rebuilds its projection or refuses to start.
Result<void> require_at_least(EventLog& log, Partition partition, Offset needed);

}  // namespace berth
