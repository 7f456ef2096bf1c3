#include "events/log/local/small_files.h"

#include <rocksdb/metadata.h>
#include <rocksdb/options.h>

#include <string>
#include <vector>

namespace berth::local {

void merge_small_files(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
  rocksdb::ColumnFamilyMetaData meta;
  db.GetColumnFamilyMetaData(family, &meta);
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;  // the family's
  std::vector<std::string> run;
  const auto merge = [&](int level) {
    if (run.size() >= kSmallFilesMax) db.CompactFiles(options, family, run, level).PermitUncheckedError();
    run.clear();
  };
  for (const rocksdb::LevelMetaData& level : meta.levels) {
    if (level.level == 0) continue;  // four of them move on by themselves
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (file.size < kSmallFileBytes && !file.being_compacted)
        run.push_back(file.name);
      else
        merge(level.level);
    }
    merge(level.level);
  }
}

}  // namespace berth::local
