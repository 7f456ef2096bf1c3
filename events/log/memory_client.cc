#include "events/log/memory_client.h"

#include <utility>

#include "events/base/checks.h"
#include "events/log/log_errors.h"
#include "events/log/positions.h"

namespace berth {
namespace {

Error out_of_reach(const Partition& partition) {
  return make_error(kLogUnavailable, to_string(partition) + " is out of reach", "it is asked again");
}

}  // namespace

void MemoryLogClient::append(Partition partition, std::string_view /*key*/, std::string payload,
                             AppendDone done) {
  BERTH_CHECK(check_partition(layout(), partition).ok(), "append to a partition that is not in the layout");
  server_->append(id_, partition, std::move(payload), std::move(done));
}

Result<Extent> MemoryLogClient::extent(Partition partition) {
  if (Result<void> known = check_partition(layout(), partition); !known) return known.error();
  if (!server_->is_reachable(partition.stream)) return out_of_reach(partition);
  return server_->extent(partition);
}

Result<std::unique_ptr<LogReader>> MemoryLogClient::open_reader(std::vector<ReadFrom> from) {
  if (Result<void> known = check_partitions(layout(), from); !known) return known.error();
  return std::unique_ptr<LogReader>(std::make_unique<MemoryLogReader>(server_, std::move(from)));
}

Result<std::size_t> MemoryLogReader::poll(Duration /*wait*/, std::size_t max_entries, std::size_t max_bytes,
                                          std::vector<LogEntry>& out) {
  std::size_t entries = 0;
  std::size_t bytes = 0;
  const ReadFrom* away = nullptr;
  const std::size_t first = turn_;
  for (std::size_t i = 0; i < cursors_.size() && entries < max_entries && bytes < max_bytes; ++i) {
    turn_ = (first + i) % cursors_.size();
    ReadFrom& cursor = cursors_[turn_];
    if (!server_->is_reachable(cursor.partition.stream)) {
      away = &cursor;
      continue;
    }
    const Extent extent = server_->extent(cursor.partition);
    if (cursor.offset < extent.begin || cursor.offset > extent.end) {
      if (entries > 0) return entries;  // what was read counts; the next poll begins here and says it
      return offset_out_of_range(cursor.partition, cursor.offset, extent);
    }
    for (; cursor.offset < extent.end && entries < max_entries && bytes < max_bytes; ++cursor.offset) {
      const auto& [payload, gap] = server_->at(cursor.partition, cursor.offset);
      out.push_back({cursor.partition, cursor.offset, payload, gap});
      ++entries;
      bytes += out.back().payload.size();
    }
  }
  if (!cursors_.empty()) turn_ = (turn_ + 1) % cursors_.size();
  if (entries == 0 && away != nullptr) return out_of_reach(away->partition);
  return entries;
}

void MemoryLogReader::seek(Partition partition, Offset offset) {
  for (ReadFrom& cursor : cursors_) {
    if (cursor.partition == partition) {
      cursor.offset = offset;
      return;
    }
  }
  BERTH_CHECK(false, "seek in a partition that the reader does not read");
}

}  // namespace berth
