#include "events/log/positions.h"

#include "events/log/log_errors.h"

namespace berth {

Error offset_out_of_range(Partition partition, Offset position, Extent extent) {
  return make_error(kOffsetOutOfRange,
                    to_string(partition) + " has offsets " + std::to_string(extent.begin) + " to " +
                        std::to_string(extent.end) + ", the reader stands at " + std::to_string(position),
                    position < extent.begin
                        ? "retention removed what was to be read: start from a checkpoint or from the oldest"
                        : "the log lost its tail: compare with the log's end before reading on");
}

Error payload_too_large(std::size_t bytes) {
  return make_error("payload-too-large", "the payload has " + std::to_string(bytes) +
                                             " bytes, a log takes at most " +
                                             std::to_string(kPayloadBytesMax));
}

Result<void> check_partition(const LogLayout& layout, Partition partition) {
  const std::uint32_t count = layout.partitions_of(partition.stream);
  if (partition.number < count) return {};
  return make_error("no-such-partition", std::string(name_of(partition.stream)) + " has " +
                                             std::to_string(count) + " partitions, asked for number " +
                                             std::to_string(partition.number));
}

Result<void> check_partitions(const LogLayout& layout, const std::vector<ReadFrom>& from) {
  for (const ReadFrom& read : from) {
    if (Result<void> known = check_partition(layout, read.partition); !known) return known;
  }
  return {};
}

Result<void> require_at_least(EventLog& log, Partition partition, Offset needed) {
  const Result<Extent> extent = log.extent(partition);
  if (!extent) return extent.error();
  if (extent->end >= needed) return {};
  return make_error(
      kLogTruncated,
      to_string(partition) + " ends at " + std::to_string(extent->end) +
          ", but the projection has read up to " + std::to_string(needed),
      "the log lost acknowledged records: bring back the newer copy of it; or give them up with "
      "--accept-truncation, and the state is rebuilt from the log as it is");
}

}  // namespace berth
