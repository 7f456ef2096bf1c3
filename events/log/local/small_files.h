// Small files of a family, merged. Each start writes what the write-ahead log held into files of their own;
// as the rows of one partition come in order, RocksDB never has a reason to merge them, and a log that is
// started often would have thousands.
#pragma once

#include <rocksdb/db.h>

#include <cstddef>
#include <cstdint>

namespace berth::local {

inline constexpr std::uint64_t kSmallFileBytes = 1u << 20;
inline constexpr std::size_t kSmallFilesMax = 16;  // side by side

// Merges as many or more small files that lie side by side into one: it rewrites at least 16 files each time,
// of less than 1 MiB each. What fails is left as it was. Beside writers and readers; blocks on the disk.
void merge_small_files(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family);

}  // namespace berth::local
