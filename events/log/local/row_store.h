// The RocksDB under the embedded log: one column family per stream, rows as in batch_row.h, the layout in the
// default family. Knows bytes and errors; its callers add order, waiting and callbacks.
#pragma once

#include <rocksdb/db.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "events/log/local/batch_row.h"
#include "events/log/local/partition_index.h"
#include "events/rocks/full_disk.h"

namespace berth::local {

// The outcome of a write.
enum class Written : std::uint8_t {
  kYes,
  kNo,     // RocksDB refused it before it touched the disk
  kMaybe,  // the disk failed during the write: the next opening may find the rows
};

struct WriteOutcome {
  Written written = Written::kYes;
  Error error;
};

// Thread-safe except write(): one writer.
class RowStore {
 public:
  // Errors: "log-newer" (a newer RocksDB wrote it), "log-layout-differs", "log-corrupt", "log-io-error",
  // "disk-full".
  static Result<std::unique_ptr<RowStore>> open(const std::string& dir, const LogLayout& layout);
  // As it is now, beside a process that writes it; nothing may be written. Errors: as open().
  static Result<std::unique_ptr<RowStore>> open_for_reading(const std::string& dir);
  ~RowStore();
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  struct Row {
    Partition partition;
    BlockPtr block;
  };
  // Writes all rows or none. `sync`: on return they are on disk, with all rows written before.
  WriteOutcome write(const std::vector<Row>& rows, bool sync);
  // After kMaybe the store refuses everything until resume() succeeds. "disk-full" while there is no space.
  Result<void> resume();
  Result<void> sync();

  // Computed from the rows.
  Result<Extent> extent(Partition partition) const;
  // Looks at the rows beside the edges of RocksDB's tables: a table that is gone leaves a hole between two.
  // Code: "log-corrupt".
  Result<void> check_tables(Partition partition) const;
  // The time of the partition's newest row; 0: it has none.
  Timestamp newest_time(Partition partition) const;

  // Walks the rows of one partition forward; sees the rows at the time of walk().
  class Walk {
   public:
    // The row that holds `offset`; null if this walk's view has none.
    Result<BlockPtr> at(Offset offset);

   private:
    friend class RowStore;
    Partition partition_;
    std::string upper_bound_;
    rocksdb::Slice upper_;
    std::unique_ptr<rocksdb::Iterator> rows_;
  };
  std::unique_ptr<Walk> walk(Partition partition) const;

  // Deletes rows older than `before`, oldest first, never the last one, at most about `bytes_max` of them.
  // Returns the new begin.
  Result<Offset> remove_older(Partition partition, Timestamp before, std::size_t bytes_max);

 private:
  RowStore() = default;
  Result<void> check_layout(const LogLayout& layout);
  rocksdb::ColumnFamilyHandle* family(Stream stream) const {
    return families_[static_cast<std::size_t>(stream) + 1];
  }

  std::unique_ptr<rocksdb::DB> db_;
  rocks::ResumeEntry resume_entry_;                     // in the default family
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // default, then one per stream
};

}  // namespace berth::local
