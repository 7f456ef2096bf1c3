// Checkpoints of a RocksStore: hard links of a database, and a manifest that says what it holds. They are
// disposable; the newest two are kept.
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

// Oldest first. A folder without a readable manifest (a checkpoint that was being made) is left out.
std::vector<Checkpoint> list_checkpoints(const std::filesystem::path& root);

// Makes a checkpoint, written aside and then renamed, and removes old ones. Codes: disk-full, store-failed.
Result<void> make_checkpoint(rocksdb::DB& db, const StoreMeta& meta, const std::filesystem::path& root);

// The newest checkpoint at an offset <= `not_after`. Later checkpoints are removed.
std::optional<Checkpoint> newest_checkpoint(const std::filesystem::path& root, Offset not_after);

// Copies the checkpoint's database to `db`; table files never change and are linked. REQUIRES: `db` does not
// exist. Code: store-failed.
Result<void> restore_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& db);

}  // namespace berth::projections
