#include "events/log/local/row_options.h"

#include <rocksdb/table.h>

#include <memory>

#include "events/rocks/full_disk.h"

namespace berth::local {
namespace {

constexpr std::size_t kMiB = 1u << 20;

}  // namespace

rocksdb::DBOptions row_db_options() {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  // The WAL is the truth here: a cut tail is what a crash leaves; anything else that is wrong must not be
  // dropped in silence (the default would). Tails cut too short are what the end mark finds.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.max_background_jobs = 2;
  options.max_open_files = rocks::open_files_max(256);
  options.max_total_wal_size = 256 * kMiB;
  options.bytes_per_sync =
      1 * kMiB;  // flushes trickle to the disk, so that a WAL sync does not wait for all of it
  options.allow_concurrent_memtable_write = false;  // one writer
  options.enable_write_thread_adaptive_yield = false;
  rocks::outlive_full_disk(options);  // the appender tries ten times a second
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

rocksdb::ColumnFamilyOptions row_family_options(Stream stream) {
  rocksdb::ColumnFamilyOptions options;
  options.max_write_buffer_number = 2;
  options.write_buffer_size = stream == Stream::kJournal ? 64 * kMiB
                              : needs_sync(stream)       ? 16 * kMiB
                                                         : 4 * kMiB;
  // One partition's rows come in key order: flushed files do not overlap and move down the levels without a
  // rewrite.
  options.compression = rocksdb::kNoCompression;
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 64 << 10;
  table.format_version = 5;
  table.no_block_cache = true;  // read once, front to back
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace berth::local
