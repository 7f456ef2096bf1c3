// Checkpoints of a RocksStore: hard links of a database and a manifest that says what is in it. Disposable;
// newest two kept.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "projections/store/store.h"

namespace rocksdb {
class DB;
}

namespace berth::projections {

inline constexpr std::size_t kCheckpointsKept = 2;

struct Checkpoint {
  StoreMeta meta;
  std::filesystem::path folder;  // has db/ and manifest
};

// Oldest first. What has no readable manifest (a checkpoint that was being made) is left out.
std::vector<Checkpoint> list_checkpoints(const std::filesystem::path& root);

// Makes one, written aside and renamed, and removes old ones. Codes: disk-full, store-failed.
Result<void> make_checkpoint(rocksdb::DB& db, const StoreMeta& meta, const std::filesystem::path& root);

// Newest at an offset <= `not_after`; later ones are removed.
std::optional<Checkpoint> newest_checkpoint(const std::filesystem::path& root, Offset not_after);

// Copies its database to `db` (tables, which never change, by hard link). REQUIRES: `db` does not exist.
// Code: store-failed.
Result<void> restore_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& db);

}  // namespace berth::projections
