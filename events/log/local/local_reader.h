// A cursor on the embedded log: the newest rows from the tail in memory, older ones from RocksDB.
#pragma once

#include <memory>
#include <vector>

#include "events/log/local/log_time.h"
#include "events/log/local/row_store.h"
#include "events/log/local/tail.h"

namespace berth::local {

// The state that the log and its readers share; destroyed with the last of them.
struct LogCore {
  LogCore(const LogLayout& log_layout, std::size_t tail_bytes)
      : layout(log_layout), index(layout), tail(index, tail_bytes) {}

  const LogLayout layout;
  const PartitionIndex index;
  Tail tail;
  LogTime time;  // set at opening
  std::unique_ptr<RowStore> rows;
};

class LocalReader final : public LogReader {
 public:
  // REQUIRES: the layout has all partitions
  LocalReader(std::shared_ptr<LogCore> core, const std::vector<ReadFrom>& from);
  ~LocalReader() override;
  LocalReader(const LocalReader&) = delete;
  LocalReader& operator=(const LocalReader&) = delete;

  Result<std::size_t> poll(Duration wait, std::size_t max_entries, std::size_t max_bytes,
                           std::vector<LogEntry>& out) override;
  void seek(Partition partition, Offset offset) override;
  void wake() override { bell_.wake(); }

 private:
  struct Cursor {
    std::size_t index = 0;
    Partition partition;
    Offset offset = 0;
    BlockCursor block;
    std::unique_ptr<RowStore::Walk> walk;  // while behind the tail
  };
  struct Budget {
    std::size_t entries;
    std::size_t bytes;
    std::size_t taken = 0;
    bool spent() const { return entries == 0 || bytes == 0; }
  };
  Result<void> take(Cursor& cursor, Budget& budget, std::vector<LogEntry>& out);
  // Sets cursor.block to the block at cursor.offset; returns false at the durable end.
  Result<bool> find_block(Cursor& cursor);
  Result<void> sweep(Budget& budget, std::vector<LogEntry>& out);

  std::shared_ptr<LogCore> core_;
  Bell bell_;
  std::vector<Cursor> cursors_;
  std::size_t turn_ = 0;  // the cursor that the next poll reads first, so that none starves
};

}  // namespace berth::local
