// RocksStore: a projection's rows in RocksDB, with checkpoints.
//
// Folder layout (all of it disposable, rebuilt from the journal):
//   db/                        the database
//   db.damaged-1/              a database that did not open or whose hash was wrong; the newest two are kept
//   checkpoints/<offset>/      db/ (hard links) and manifest
// Keys: 'r' table key = row; 'c' slot = chain point (slot = offset % (window + 1)); 'm' = meta; 'h' history
// key = entry; 'i' session id = history key; 'v' = row of a view; 'n' and 'N': name_index.h. The WAL is on
// and not synced: after a crash of the machine more of the journal is replayed.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>

#include <rocksdb/db.h>

#include "events/rocks/full_disk.h"
#include "projections/store/store.h"

namespace berth::projections {

class RocksStore final : public Store {
 public:
  struct Opened;
  // Creates a missing folder. A database that does not open is moved aside; then the newest checkpoint takes
  // its place, or an empty one. Codes: store-locked (another process has it), store-newer (a newer RocksDB
  // wrote it), store-failed (the folder cannot be used).
  static Result<Opened> open(const std::filesystem::path& folder);
  ~RocksStore() override;

  Result<void> write(const StoreBatch& batch) override;
  Result<void> checkpoint() override;
  Result<void> reset(Offset not_after) override;
  Result<std::optional<StoreMeta>> read_meta() override;
  Result<void> read_rows(const std::function<bool(const LoadedRow&)>& row) override;
  Result<std::deque<ChainPoint>> read_chain() override;
  void keep_history_from(Timestamp time) override { keep_from_ = time; }
  Result<bool> prune() override;
  Result<std::optional<HistoryEntry>> find_history(const SessionId& id) const override;
  Result<HistoryPage> read_history(std::size_t limit, const std::string& token) const override;
  Result<std::optional<HistoryEntry>> find_history_by_name(const std::string& user,
                                                           const std::string& name) const override;
  Result<void> scan_views(std::string_view from, const OnRow& row) const override;
  Result<std::optional<std::string>> last_view_before(std::string_view key) const override;

 private:
  explicit RocksStore(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> open_db();
  void close_db();
  static Error closed();  // db_ is null since a reset() failed; the next one may succeed
  bool is_kept(std::string_view history_key) const;
  rocksdb::Status put_again(rocksdb::WriteBatch& batch);
  rocksdb::Status write_once(rocksdb::WriteBatch* batch);
  Result<void> move_aside();
  std::map<int, std::filesystem::path> damaged() const;

  std::filesystem::path folder_;
  mutable std::shared_mutex lifetime_;  // of db_: other threads read history while reset() replaces db_
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // default: all rows; the resume entry's own
  rocks::ResumeEntry resume_entry_;
  std::atomic<Timestamp> keep_from_ = 0;
  Timestamp pruned_before_ = 0;  // nothing that ended before is left
};

struct RocksStore::Opened {
  std::unique_ptr<RocksStore> store;
  std::vector<Error> warnings;
};

}  // namespace berth::projections
