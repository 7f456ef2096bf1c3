#include "projections/store/rocks/rocks_store.h"

#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include "projections/store/rocks/checkpoints.h"
#include "projections/store/rocks/keys.h"
#include "projections/store/rocks/meta_codec.h"
#include "projections/store/rocks/status.h"
#include "projections/store/store_errors.h"

namespace berth::projections {
namespace {

namespace fs = std::filesystem;

constexpr char kResumeFamily[] = "resume";  // rocks::ResumeEntry's own

rocksdb::Options db_options() {
  rocksdb::Options options;
  rocks::outlive_full_disk(options);
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.max_total_wal_size = 128u << 20;  // what a family that is hardly written would keep
  options.max_write_buffer_number = 2;
  options.max_background_jobs = 2;
  options.write_buffer_size = 64u << 20;
  options.max_open_files = 256;
  options.paranoid_checks = true;
  return options;
}

bool is_lock(const rocksdb::Status& status) {
  return status.IsIOError() && status.ToString().find("lock") != std::string::npos;
}

void put_history(rocksdb::WriteBatch& out, const HistoryEntry& entry) {
  const std::string key = history_key(entry.session);
  out.Put(history_row_key(key), encode_history(entry));
  out.Put(history_index_key(entry.session.id), key);
}

}  // namespace

Result<RocksStore::Opened> RocksStore::open(const fs::path& folder) {
  std::error_code code;
  fs::create_directories(folder / "checkpoints", code);
  if (code)
    return make_error("store-failed",
                      "cannot make " + (folder / "checkpoints").string() + ": " + code.message(),
                      "check --state");
  Opened opened;
  opened.store.reset(new RocksStore(folder));
  auto first = opened.store->open_db();
  if (first) return opened;
  if (!is_store_corrupt(first.error())) return first.error();
  opened.warnings.push_back(first.error());
  if (auto reset = opened.store->reset(UINT64_MAX); !reset) return reset.error();
  return opened;
}

RocksStore::~RocksStore() { close_db(); }

Result<void> RocksStore::open_db() {
  rocksdb::DB* raw = nullptr;
  const rocksdb::Options options = db_options();
  const std::vector<rocksdb::ColumnFamilyDescriptor> families{{rocksdb::kDefaultColumnFamilyName, options},
                                                              {kResumeFamily, options}};
  const auto status = rocksdb::DB::Open(options, (folder_ / "db").string(), families, &families_, &raw);
  if (status.ok()) {
    db_.reset(raw);
    resume_entry_ = {};
    return {};
  }
  if (is_lock(status))
    return make_error("store-locked",
                      "another process uses the projection in " + folder_.string() + ": " + status.ToString(),
                      "stop it, or give this one a state folder of its own");
  if (status.IsInvalidArgument())
    return to_error(rocksdb::Status::Corruption(status.ToString()), "open the projection's store");
  return to_error(status, "open the projection's store");
}

void RocksStore::close_db() {
  if (!db_) return;
  for (rocksdb::ColumnFamilyHandle* family : families_) db_->DestroyColumnFamilyHandle(family);
  families_.clear();
  db_->Close();
  db_.reset();
}

// To db.damaged-<n>; its name.
Result<std::string> RocksStore::move_aside() {
  std::error_code code;
  const fs::path db = folder_ / "db";
  if (!fs::exists(db, code)) return std::string();
  for (int n = 1;; ++n) {
    const fs::path aside = folder_ / ("db.damaged-" + std::to_string(n));
    if (fs::exists(aside, code)) continue;
    fs::rename(db, aside, code);
    if (code)
      return make_error("store-failed", "cannot move " + db.string() + " aside: " + code.message(),
                        "check its permissions");
    return aside.string();
  }
}

Result<void> RocksStore::reset(Offset not_after) {
  const std::unique_lock lock(lifetime_);
  close_db();
  if (auto moved = move_aside(); !moved) return moved.error();
  if (const auto checkpoint = newest_checkpoint(folder_ / "checkpoints", not_after)) {
    if (restore_checkpoint(*checkpoint, folder_ / "db") && open_db()) return {};
    std::error_code ignored;
    fs::remove_all(folder_ / "db", ignored);
  }
  return open_db();
}

Result<void> RocksStore::checkpoint() {
  auto meta = read_meta();
  if (!meta) return meta.error();
  if (!meta->has_value()) return {};
  return make_checkpoint(*db_, **meta, folder_ / "checkpoints");
}

Result<void> RocksStore::write(const StoreBatch& batch) {
  rocksdb::WriteBatch out;
  std::string key;
  for (const auto& change : batch.rows) {
    set_row_key(key, change.table, change.key);
    if (change.bytes)
      out.Put(key, *change.bytes);
    else
      out.Delete(key);
  }
  for (const auto& point : batch.chain) out.Put(chain_key(point.next), encode_point(point));
  for (const auto& entry : batch.history) put_history(out, entry);
  out.Put(kMetaKey, encode_meta(batch.meta));
  auto status = write_once(&out);
  if (!status.ok() && resume_entry_.resume(*db_).ok()) status = write_once(&out);
  if (!status.ok()) return to_error(status, "write the projection");
  return {};
}

rocksdb::Status RocksStore::write_once(rocksdb::WriteBatch* batch) {
  resume_entry_.renew(*db_, families_.back());
  return db_->Write(rocksdb::WriteOptions(), batch);
}

}  // namespace berth::projections
