#include "events/log/local/row_store.h"

#include <rocksdb/metadata.h>
#include <rocksdb/write_batch.h>

#include <limits>
#include <utility>

#include "events/base/files/disk_error.h"
#include "events/log/local/row_options.h"
#include "events/log/local/small_files.h"
#include "events/log/log_errors.h"
#include "events/rocks/error_number.h"
#include "events/rocks/version.h"

namespace berth::local {
namespace {

constexpr char kLayoutKey[] = "layout";
constexpr Offset kOffsetMax = std::numeric_limits<Offset>::max();

std::string_view view(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

Error to_error(const rocksdb::Status& status) {
  const std::string text = status.ToString();
  if (status.IsCorruption()) {
    return make_error("log-corrupt", "RocksDB finds damage: " + text,
                      "restore the log from a copy; do not repair it in place");
  }
  return disk_error(rocks::error_number(status), "the log's disk fails: " + text, kLogIoError);
}

// An older RocksDB calls what a newer one wrote damaged, or drops it in silence.
Result<void> check_writer(const std::string& dir) {
  const auto newer = rocks::newer_writer(dir);
  if (!newer) return {};
  return make_error(
      "log-newer",
      "RocksDB " + *newer + " wrote the log in " + dir + "; this program has RocksDB " +
          rocks::own_version() + ", which may not read it",
      "run a program with RocksDB " + *newer +
          " or newer (Debian 13 has 9.10), or restore a copy of the log from before the upgrade");
}

// One line for people and for comparison.
std::string describe(const LogLayout& layout) {
  return "version 1, cluster " + layout.cluster + ", cell " + layout.cell + ", requests " +
         std::to_string(layout.requests) + ", reports " + std::to_string(layout.reports) + ", orders " +
         std::to_string(layout.orders);
}

std::vector<rocksdb::ColumnFamilyDescriptor> column_families() {
  std::vector<rocksdb::ColumnFamilyDescriptor> families{
      {rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions()}};
  for (int s = 0; s < kStreamCount; ++s) {
    const auto stream = static_cast<Stream>(s);
    families.emplace_back(name_of(stream), row_family_options(stream));
  }
  return families;
}

}  // namespace

Result<std::unique_ptr<RowStore>> RowStore::open(const std::string& dir, const LogLayout& layout) {
  if (auto known = check_writer(dir); !known) return known.error();
  std::unique_ptr<RowStore> store(new RowStore);
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      rocksdb::DB::Open(row_db_options(), dir, column_families(), &store->families_, &db);
  if (!status.ok()) return to_error(status);
  store->db_.reset(db);
  if (Result<void> fits = store->check_layout(layout); !fits) return fits.error();
  for (rocksdb::ColumnFamilyHandle* family : store->families_) merge_small_files(*db, family);
  return store;
}

// All files at once: one that the writer removes later can still be read.
Result<std::unique_ptr<RowStore>> RowStore::open_for_reading(const std::string& dir) {
  if (auto known = check_writer(dir); !known) return known.error();
  std::unique_ptr<RowStore> store(new RowStore);
  rocksdb::DBOptions options = row_db_options();
  options.create_if_missing = options.create_missing_column_families = false;
  options.max_open_files = -1;
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      rocksdb::DB::OpenForReadOnly(options, dir, column_families(), &store->families_, &db);
  if (!status.ok()) return to_error(status);
  store->db_.reset(db);
  return store;
}

RowStore::~RowStore() {
  if (!db_) return;
  for (rocksdb::ColumnFamilyHandle* handle : families_) db_->DestroyColumnFamilyHandle(handle);
  db_->Close();
}

Result<void> RowStore::check_layout(const LogLayout& layout) {
  std::string stored;
  rocksdb::Status status = db_->Get({}, kLayoutKey, &stored);
  if (status.IsNotFound()) {
    rocksdb::WriteOptions options;
    options.sync = true;
    status = db_->Put(options, kLayoutKey, describe(layout));
    return status.ok() ? Result<void>() : to_error(status);
  }
  if (!status.ok()) return to_error(status);
  if (stored == describe(layout)) return {};
  return make_error("log-layout-differs",
                    "the log was made with [" + stored + "], asked for is [" + describe(layout) + "]",
                    "a log keeps its layout for ever: open it as it is, or start another folder");
}

WriteOutcome RowStore::write(const std::vector<Row>& rows, bool sync) {
  std::size_t bytes = 64;
  for (const Row& row : rows) bytes += row.block->bytes.size() + 64;
  rocksdb::WriteBatch batch(bytes);
  for (const Row& row : rows)
    batch.Put(family(row.partition.stream), row_key(row.partition, row.block->first), row.block->bytes);
  rocksdb::WriteOptions options;
  options.sync = sync;
  resume_entry_.renew(*db_, families_.front());
  const rocksdb::Status status = db_->Write(options, &batch);
  if (status.ok()) return {};
  return {Written::kMaybe, to_error(status)};
}

Result<void> RowStore::resume() {
  const rocksdb::Status status = resume_entry_.resume(*db_);
  return status.ok() ? Result<void>() : to_error(status);
}

Result<void> RowStore::sync() {
  if (rocks::has_stopped(*db_)) return make_error(kLogIoError, "the log's disk failed before");
  const rocksdb::Status status = db_->SyncWAL();
  return status.ok() ? Result<void>() : to_error(status);
}

Result<Extent> RowStore::extent(Partition partition) const {
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator({}, family(partition.stream)));
  Extent extent;
  RowKey key;
  rows->SeekForPrev(row_key(partition, kOffsetMax));
  if (rows->Valid() && parse_row_key(view(rows->key()), key) && key.partition == partition) {
    const Result<BlockPtr> last = parse_block(partition, key.first, view(rows->value()));
    if (!last) return last.error();
    extent.end = (*last)->end();
    rows->Seek(row_key(partition, 0));
    if (rows->Valid() && parse_row_key(view(rows->key()), key)) extent.begin = key.first;
  }
  if (!rows->status().ok()) return to_error(rows->status());
  return extent;
}

Result<void> RowStore::check_tables(Partition partition) const {
  rocksdb::ColumnFamilyMetaData tables;
  db_->GetColumnFamilyMetaData(family(partition.stream), &tables);
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator({}, family(partition.stream)));
  for (const rocksdb::LevelMetaData& level : tables.levels)
    for (const rocksdb::SstFileMetaData& table : level.files) {
      RowKey last, next;
      rows->SeekForPrev(table.largestkey);
      if (!rows->Valid() || !parse_row_key(view(rows->key()), last) || last.partition != partition) continue;
      const Offset end = last.first + count_of_row(view(rows->value()));
      rows->Next();
      if (!rows->Valid() || !parse_row_key(view(rows->key()), next) || next.partition != partition) continue;
      if (next.first != end)
        return make_error("log-corrupt",
                          to_string(partition) + " has no rows for offsets " + std::to_string(end) + " to " +
                              std::to_string(next.first - 1) + ": RocksDB knows a table less than it wrote",
                          "restore the log from a copy; do not repair it in place");
    }
  return rows->status().ok() ? Result<void>() : to_error(rows->status());
}

Timestamp RowStore::newest_time(Partition partition) const {
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator({}, family(partition.stream)));
  RowKey key;
  rows->SeekForPrev(row_key(partition, kOffsetMax));
  if (!rows->Valid() || !parse_row_key(view(rows->key()), key) || key.partition != partition) return 0;
  return time_of_row(view(rows->value()));
}

std::unique_ptr<RowStore::Walk> RowStore::walk(Partition partition) const {
  auto walk = std::make_unique<Walk>();
  walk->partition_ = partition;
  walk->upper_bound_ = row_key({partition.stream, partition.number + 1}, 0);
  walk->upper_ = walk->upper_bound_;
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &walk->upper_;
  options.readahead_size = 1 << 20;
  walk->rows_.reset(db_->NewIterator(options, family(partition.stream)));
  return walk;
}

Result<BlockPtr> RowStore::Walk::at(Offset offset) {
  RowKey key;
  // The usual case is the row after the one before.
  if (rows_->Valid()) rows_->Next();
  const bool next = rows_->Valid() && parse_row_key(view(rows_->key()), key) && key.first == offset;
  if (!next) rows_->SeekForPrev(row_key(partition_, offset));
  if (!rows_->status().ok()) return to_error(rows_->status());
  if (!rows_->Valid() || !parse_row_key(view(rows_->key()), key) || key.partition != partition_)
    return BlockPtr();
  if (key.first > offset || offset - key.first >= count_of_row(view(rows_->value()))) return BlockPtr();
  return parse_block(partition_, key.first, view(rows_->value()));
}

Result<Offset> RowStore::remove_older(Partition partition, Timestamp before, std::size_t bytes_max) {
  std::string upper_bound = row_key({partition.stream, partition.number + 1}, 0);
  const rocksdb::Slice upper(upper_bound);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator(options, family(partition.stream)));
  rows->Seek(row_key(partition, 0));
  RowKey first;
  if (!rows->Valid() || !parse_row_key(view(rows->key()), first)) return Offset{0};
  RowKey kept = first;
  std::size_t bytes = 0;
  while (time_of_row(view(rows->value())) < before && bytes < bytes_max) {
    bytes += rows->value().size();
    rows->Next();
    if (!rows->Valid()) break;  // the last row stays: it says where the partition ends
    parse_row_key(view(rows->key()), kept);
  }
  if (!rows->status().ok()) return to_error(rows->status());
  if (kept.first == first.first) return first.first;
  const rocksdb::Status status =
      db_->DeleteRange({}, family(partition.stream), row_key(partition, 0), row_key(partition, kept.first));
  return status.ok() ? Result<Offset>(kept.first) : to_error(status);
}

}  // namespace berth::local
