// Checkpoints of a RocksStore: hard links of a database, and a manifest with its meta row. Disposable; the
// newest two are kept.
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

// Oldest first. Folders without a readable manifest (unfinished checkpoints) are left out.
Result<std::vector<Checkpoint>> list_checkpoints(const std::filesystem::path& root);

// Writes a checkpoint aside and renames it, then removes old ones. Codes: disk-full, store-failed.
Result<void> make_checkpoint(rocksdb::DB& db, const StoreMeta& meta, const std::filesystem::path& root);

// Returns the newest at an offset <= `not_after`; removes later ones.
Result<std::optional<Checkpoint>> newest_checkpoint(const std::filesystem::path& root, Offset not_after);

// Copies the checkpoint's database to `db` (tables, which never change, by hard link). REQUIRES: `db` does
// not exist. Code: store-failed.
Result<void> restore_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& db);

}  // namespace berth::projections
