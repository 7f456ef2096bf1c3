#include "projections/store/rocks/rocks_store.h"

#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <charconv>

#include "events/base/files/durable_file.h"
#include "events/rocks/version.h"
#include "projections/store/rocks/checkpoints.h"
#include "projections/store/rocks/keys.h"
#include "projections/store/rocks/meta_codec.h"
#include "projections/store/rocks/name_index.h"
#include "projections/store/rocks/status.h"
#include "projections/store/store_errors.h"

namespace berth::projections {
namespace {

namespace fs = std::filesystem;

constexpr char kResumeFamily[] = "resume";  // rocks::ResumeEntry's own
constexpr std::string_view kDamaged = "db.damaged-";
constexpr std::size_t kDamagedKept = 2;
constexpr std::size_t kPrunedAtOnce = 2'000;

rocksdb::Options db_options() {
  rocksdb::Options options;
  rocks::outlive_full_disk(options);
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.max_total_wal_size = 128u << 20;  // what a family that is hardly written would keep
  options.max_write_buffer_number = 2;
  options.max_background_jobs = 2;
  options.write_buffer_size = 64u << 20;
  options.max_open_files = rocks::open_files_max(256);
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
  name_index::put(out, entry, key);
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
  // A reset that was cut short has moved the database aside.
  const bool is_moved =
      !fs::exists(folder / "db", code) && !fs::is_empty(folder / "checkpoints", code) && !code;
  auto first = is_moved ? opened.store->reset(UINT64_MAX) : opened.store->open_db();
  if (first) return opened;
  if (!is_store_corrupt(first.error())) return first.error();
  opened.warnings.push_back(first.error());
  if (auto reset = opened.store->reset(UINT64_MAX); !reset) return reset.error();
  return opened;
}

RocksStore::~RocksStore() { close_db(); }

Result<void> RocksStore::open_db() {
  if (const auto newer = rocks::newer_writer(folder_ / "db"))
    return make_error("store-newer",
                      "RocksDB " + *newer + " wrote the projection in " + folder_.string() +
                          "; this program has RocksDB " + rocks::own_version() + ", which may not read it",
                      "run a program with RocksDB " + *newer + " or newer (Debian 13 has 9.10), or remove " +
                          folder_.string() + ": the projection is rebuilt from the journal");
  rocksdb::DB* raw = nullptr;
  const rocksdb::Options options = db_options();
  const std::vector<rocksdb::ColumnFamilyDescriptor> families{{rocksdb::kDefaultColumnFamilyName, options},
                                                              {kResumeFamily, options}};
  const auto status = rocksdb::DB::Open(options, (folder_ / "db").string(), families, &families_, &raw);
  if (status.ok()) {
    db_.reset(raw);
    resume_entry_ = {};
    pruned_before_ = 0;
    return {};
  }
  if (is_lock(status))
    return make_error("store-locked",
                      "another process uses the projection in " + folder_.string() + ": " + status.ToString(),
                      "stop it, or give this one a state folder of its own");
  // What it should have is gone, as a MANIFEST that CURRENT names.
  if (status.IsInvalidArgument() || status.IsNotFound() || status.IsPathNotFound())
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

// To db.damaged-<n>, above all there are; the newest are kept.
Result<void> RocksStore::move_aside() {
  std::error_code code;
  const fs::path db = folder_ / "db";
  if (!fs::exists(db, code)) return {};
  const std::map<int, fs::path> aside = damaged();
  const int n = aside.empty() ? 1 : aside.rbegin()->first + 1;
  fs::rename(db, folder_ / (std::string(kDamaged) + std::to_string(n)), code);
  if (!code) code = sync_folder(folder_);
  if (code)
    return make_error("store-failed", "cannot move " + db.string() + " aside: " + code.message(),
                      "check its permissions");
  auto old = aside.begin();
  for (std::size_t left = aside.size() + 1; left > kDamagedKept; --left, ++old)
    fs::remove_all(old->second, code);
  return {};
}

// By number.
std::map<int, fs::path> RocksStore::damaged() const {
  std::map<int, fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator it(folder_, ignored), end; it != end; it.increment(ignored)) {
    const std::string name = it->path().filename();
    int n = 0;
    const char* digits = name.data() + std::min(name.size(), kDamaged.size());
    if (name.starts_with(kDamaged) && std::from_chars(digits, name.data() + name.size(), n).ec == std::errc())
      found.emplace(n, it->path());
  }
  return found;
}

Result<void> RocksStore::reset(Offset not_after) {
  const std::unique_lock lock(lifetime_);
  close_db();
  if (auto moved = move_aside(); !moved) return moved.error();
  const auto checkpoint = newest_checkpoint(folder_ / "checkpoints", not_after);
  if (!checkpoint) return checkpoint.error();
  if (*checkpoint) {
    auto restored = restore_checkpoint(**checkpoint, folder_ / "db");
    if (restored) restored = open_db();
    if (restored) return {};
    std::error_code ignored;
    close_db();
    fs::remove_all(folder_ / "db", ignored);
    if (may_pass(restored.error())) return restored;  // the checkpoint is taken the next time
  }
  return open_db();
}

Result<void> RocksStore::checkpoint() {
  if (!db_) return closed();
  auto meta = read_meta();
  if (!meta) return meta.error();
  if (!meta->has_value()) return {};
  return make_checkpoint(*db_, **meta, folder_ / "checkpoints");
}

Result<void> RocksStore::write(const StoreBatch& batch) {
  if (!db_) return closed();
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
  for (const auto& row : batch.views) out.Put(kViewPrefix + row.key, row.bytes);
  out.Put(kMetaKey, encode_meta(batch.meta));
  if (const auto status = put_again(out); !status.ok()) return to_error(status, "write the projection");
  return {};
}

// A bounded number, the oldest last. Entries that do not decode go too, but for the name that led to them.
Result<bool> RocksStore::prune() {
  if (!db_) return closed();
  const Timestamp before = keep_from_;
  if (before <= pruned_before_) return false;
  rocksdb::WriteBatch out;
  std::size_t pruned = 0;
  bool more = false;
  {
    const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(rocksdb::ReadOptions()));
    for (it->Seek(history_row_key(last_kept_history_key(before)));
         it->Valid() && it->key()[0] == 'h' && !more; it->Next()) {
      const std::string key = it->key().ToString().substr(1);
      out.Delete(it->key());
      if (const auto entry = decode_history(it->value().ToStringView())) {
        out.Delete(history_index_key(entry->session.id));
        name_index::remove(out, *entry, key);
      }
      more = ++pruned == kPrunedAtOnce;
    }
    if (!it->status().ok()) return to_error(it->status(), "read history");
  }
  if (pruned > 0)
    if (const auto status = put_again(out); !status.ok()) return to_error(status, "prune history");
  if (!more) pruned_before_ = before;
  return more;
}

// And once more where the database has to be told that its disk has room again.
rocksdb::Status RocksStore::put_again(rocksdb::WriteBatch& batch) {
  auto status = write_once(&batch);
  if (!status.ok() && resume_entry_.resume(*db_).ok()) status = write_once(&batch);
  return status;
}

rocksdb::Status RocksStore::write_once(rocksdb::WriteBatch* batch) {
  resume_entry_.renew(*db_, families_.back());
  return db_->Write(rocksdb::WriteOptions(), batch);
}

}  // namespace berth::projections
