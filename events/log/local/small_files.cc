#include "events/log/local/small_files.h"

#include <rocksdb/metadata.h>
#include <rocksdb/options.h>

#include <string>
#include <vector>

namespace berth::local {

namespace {

struct Run {
  int level = 0;
  std::vector<std::string> files;
};

std::vector<Run> runs_of(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
  rocksdb::ColumnFamilyMetaData meta;
  db.GetColumnFamilyMetaData(family, &meta);
  std::vector<Run> runs;
  std::vector<std::string> run;
  const auto end_run = [&](int level) {
    if (run.size() >= kSmallFilesMax) runs.push_back({level, run});
    run.clear();
  };
  for (const rocksdb::LevelMetaData& level : meta.levels) {
    if (level.level == 0) continue;  // four of them move on by themselves
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (file.size < kSmallFileBytes)
        run.push_back(file.name);
      else
        end_run(level.level);
    }
    end_run(level.level);
  }
  return runs;
}

}  // namespace

void merge_small_files(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
  if (runs_of(db, family).empty()) return;
  // RocksDB lets files that move down a level and files of a level that are merged meet in the same place:
  // its own work waits.
  if (!db.PauseBackgroundWork().ok()) return;
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;  // the family's
  for (const Run& run : runs_of(db, family))
    db.CompactFiles(options, family, run.files, run.level).PermitUncheckedError();
  db.ContinueBackgroundWork().PermitUncheckedError();
}

}  // namespace berth::local
