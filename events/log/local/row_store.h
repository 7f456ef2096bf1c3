// The RocksDB under the embedded log: one column family per stream, rows as batch_row.h says, the layout in
// the default family. Knows bytes and errors; order, waiting and callbacks are above it.
#pragma once

#include <rocksdb/db.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "events/log/local/batch_row.h"
#include "events/log/local/partition_index.h"
#include "events/rocks/full_disk.h"

namespace berth::local {

// What became of a write.
enum class Written : std::uint8_t {
  kYes,
  kNo,     // RocksDB refused it before it touched the disk
  kMaybe,  // the disk failed on the way: found again at the next opening, or not
};

struct WriteOutcome {
  Written written = Written::kYes;
  Error error;
};

// Thread-safe but for write(): one writer.
class RowStore {
 public:
  // Errors: "log-layout-differs", "log-corrupt", "log-io-error", "disk-full".
  static Result<std::unique_ptr<RowStore>> open(const std::string& dir, const LogLayout& layout);
  ~RowStore();
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  struct Row {
    Partition partition;
    BlockPtr block;
  };
  // All rows or none. sync: on disk when it returns, with everything written before.
  WriteOutcome write(const std::vector<Row>& rows, bool sync);
  // After kMaybe the store refuses everything until this succeeds. "disk-full" while there is no space.
  Result<void> resume();
  Result<void> sync();

  // From the rows themselves.
  Result<Extent> extent(Partition partition) const;

  // Walks the rows of one partition forward; sees what was there when it was made.
  class Walk {
   public:
    // The row that holds `offset`: null where this walk's view has none.
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
