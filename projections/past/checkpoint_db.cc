#include "projections/past/checkpoint_db.h"

#include <rocksdb/convenience.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include "events/rocks/full_disk.h"
#include "events/rocks/version.h"
#include "projections/past/checkpoint_merge.h"
#include "projections/store/rocks/status.h"
#include "projections/tables/row_codec.h"

namespace berth::projections {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetaKey = "m";
constexpr std::uint32_t kSchema = 1;
constexpr std::size_t kBatchBytes = 4u << 20;
constexpr std::size_t kChangesMax = 16;  // checkpoints behind a base

struct MetaFields {
  Uuid cluster;
  std::uint32_t schema = 0;
  template <class V> void fields(V& v) {
    v(1, cluster);
    v(2, schema);
  }
};

struct CheckpointFields {
  PastCheckpoint at;
  template <class V> void fields(V& v) {
    v(1, at.from);
    v(2, at.base);
    v(3, at.time);
    v(4, at.events);
    v(5, at.rolling);
    v(6, at.bytes);
  }
};

template <class T> std::string encode(T row) {
  RowEncoder encoder;
  row.fields(encoder);
  return encoder.take();
}

std::string checkpoint_key(Offset next) { return "c" + past_number(next); }

void put_row(rocksdb::WriteBatch& batch, Offset next, std::string_view key,
             const std::optional<std::string_view>& bytes) {
  const std::string value = bytes ? std::string(1, kPastThere) += *bytes : std::string(1, kPastGone);
  batch.Put(past_prefix(next) + std::string(key), value);
}

rocksdb::Options db_options() {
  rocksdb::Options options;
  rocks::outlive_full_disk(options);
  options.create_if_missing = true;
  options.max_background_jobs = 2;
  options.write_buffer_size = 16u << 20;
  options.max_open_files = rocks::open_files_max(128);
  options.paranoid_checks = true;
  for (const auto wanted : {rocksdb::kLZ4Compression, rocksdb::kSnappyCompression})
    for (const auto has : rocksdb::GetSupportedCompressions())
      if (has == wanted && options.compression != rocksdb::kLZ4Compression) options.compression = wanted;
  return options;
}

}  // namespace

Result<std::unique_ptr<CheckpointDb>> CheckpointDb::open(const fs::path& folder, const Uuid& cluster,
                                                         Mode mode) {
  std::unique_ptr<CheckpointDb> made(new CheckpointDb(folder));
  auto opened = made->open_db(mode, cluster);
  if (opened) return made;
  if (mode == Mode::kReadOnly || !is_store_corrupt(opened.error())) return opened.error();
  made->db_.reset();
  std::error_code code;
  fs::remove_all(folder, code);
  if (auto again = made->open_db(mode, cluster); !again) return again.error();
  return made;
}

CheckpointDb::~CheckpointDb() {
  if (db_) db_->Close();
}

Result<void> CheckpointDb::open_db(Mode mode, const Uuid& cluster) {
  if (const auto newer = rocks::newer_writer(folder_))
    return to_error(rocksdb::Status::Corruption("RocksDB " + *newer + " wrote them, this program has " +
                                                rocks::own_version()),
                    "open the checkpoints of the past");
  rocksdb::DB* raw = nullptr;
  const rocksdb::Options options = db_options();
  const auto status = mode == Mode::kReadOnly ? rocksdb::DB::OpenForReadOnly(options, folder_.string(), &raw)
                                              : rocksdb::DB::Open(options, folder_.string(), &raw);
  if (status.IsInvalidArgument() || status.IsPathNotFound())
    return to_error(rocksdb::Status::Corruption(status.ToString()), "open the checkpoints of the past");
  if (!status.ok()) return to_error(status, "open the checkpoints of the past");
  db_.reset(raw);
  std::string bytes;
  const auto found = db_->Get(rocksdb::ReadOptions(), kMetaKey, &bytes);
  if (found.IsNotFound() && mode == Mode::kWrite) {
    const auto written = db_->Put(rocksdb::WriteOptions(), kMetaKey, encode(MetaFields{cluster, kSchema}));
    return written.ok() ? Result<void>() : to_error(written, "begin the checkpoints of the past");
  }
  if (!found.ok()) return to_error(found, "read the checkpoints of the past");
  RowDecoder decoder(bytes);
  MetaFields meta;
  if (decoder.ok()) meta.fields(decoder);
  if (!decoder.ok() || meta.cluster != cluster || meta.schema != kSchema)
    return to_error(rocksdb::Status::Corruption("another cluster's, or another build's"),
                    "read the checkpoints of the past");
  return load_list();
}

Result<void> CheckpointDb::load_list() {
  const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(rocksdb::ReadOptions()));
  for (it->Seek("c"); it->Valid() && it->key()[0] == 'c'; it->Next()) {
    RowDecoder decoder(it->value().ToStringView());
    CheckpointFields row;
    if (decoder.ok()) row.fields(decoder);
    const auto next = past_number_of(it->key().ToStringView().substr(1));
    if (!decoder.ok() || !next)
      return to_error(rocksdb::Status::Corruption("a checkpoint's row"), "read the checkpoints of the past");
    row.at.next = *next;
    list_[*next] = row.at;
  }
  return it->status().ok() ? Result<void>() : to_error(it->status(), "read the checkpoints of the past");
}

std::vector<PastCheckpoint> CheckpointDb::list() const {
  const std::lock_guard lock(list_mutex_);
  std::vector<PastCheckpoint> all;
  for (const auto& [next, checkpoint] : list_) all.push_back(checkpoint);
  return all;
}

std::optional<PastCheckpoint> CheckpointDb::newest() const { return find(UINT64_MAX); }

std::optional<PastCheckpoint> CheckpointDb::find(Offset next) const {
  const std::lock_guard lock(list_mutex_);
  const auto after = list_.upper_bound(next);
  if (after == list_.begin()) return std::nullopt;
  return std::prev(after)->second;
}

void CheckpointDb::forget(Offset next) {
  const std::lock_guard lock(list_mutex_);
  list_.erase(next);
}

void CheckpointDb::remember(const PastCheckpoint& checkpoint) {
  const std::lock_guard lock(list_mutex_);
  list_[checkpoint.next] = checkpoint;
}

// The rows first: a checkpoint that has its own row is whole.
Result<void> CheckpointDb::write(const PastCheckpoint& checkpoint, const PastRows& rows) {
  if (auto written = put(checkpoint.next, rows); !written) return written;
  PastCheckpoint whole = checkpoint;
  for (const auto& [key, bytes] : rows) whole.bytes += key.size() + (bytes ? bytes->size() : 0);
  return seal(whole);
}

Result<void> CheckpointDb::put(Offset next, const PastRows& rows) {
  rocksdb::WriteBatch batch;
  const auto flush = [&] {
    const auto status = db_->Write(rocksdb::WriteOptions(), &batch);
    batch.Clear();
    return status;
  };
  for (const auto& [key, bytes] : rows) {
    put_row(batch, next, key, bytes ? std::optional<std::string_view>(*bytes) : std::nullopt);
    if (batch.GetDataSize() < kBatchBytes) continue;
    if (const auto status = flush(); !status.ok()) return to_error(status, "write a checkpoint of the past");
  }
  const auto status = flush();
  return status.ok() ? Result<void>() : to_error(status, "write a checkpoint of the past");
}

Result<void> CheckpointDb::seal(PastCheckpoint checkpoint) {
  const auto status = db_->Put(rocksdb::WriteOptions(), checkpoint_key(checkpoint.next),
                               encode(CheckpointFields{checkpoint}));
  if (!status.ok()) return to_error(status, "write a checkpoint of the past");
  remember(checkpoint);
  return {};
}

// The list first: what is half removed is not there.
Result<void> CheckpointDb::erase_after(Offset next) {
  const std::unique_lock lock(rows_);
  for (const PastCheckpoint& checkpoint : list())
    if (checkpoint.next > next) forget(checkpoint.next);
  rocksdb::WriteBatch batch;
  if (next != UINT64_MAX) {
    batch.DeleteRange(checkpoint_key(next + 1), "d");
    batch.DeleteRange(past_prefix(next + 1), "e");
  }
  const auto status = db_->Write(rocksdb::WriteOptions(), &batch);
  return status.ok() ? Result<void>() : to_error(status, "remove checkpoints of the past");
}

std::vector<PastCheckpoint> CheckpointDb::chain_of(const PastCheckpoint& at) const {
  const std::lock_guard lock(list_mutex_);
  std::vector<PastCheckpoint> chain;
  for (auto it = list_.find(at.next); it != list_.end(); it = list_.find(it->second.from)) {
    chain.push_back(it->second);
    if (it->second.base) return chain;
  }
  return {};
}

Result<void> CheckpointDb::read(const PastCheckpoint& at,
                                const std::function<bool(const LoadedRow&)>& row) const {
  const std::shared_lock lock(rows_);
  const auto chain = chain_of(at);
  if (chain.empty())
    return to_error(rocksdb::Status::Corruption("a checkpoint without its base"), "read a past state");
  CheckpointMerge merge(*db_, chain);
  for (; merge.valid(); merge.next()) {
    if (merge.value().empty() || merge.value()[0] != kPastThere || merge.key().empty()) continue;
    const LoadedRow loaded{static_cast<std::uint8_t>(merge.key()[0]), merge.key().substr(1),
                           merge.value().substr(1)};
    if (!row(loaded)) break;
  }
  return merge.status().ok() ? Result<void>() : to_error(merge.status(), "read a past state");
}

Result<bool> CheckpointDb::tidy() {
  const auto all = list();
  if (all.empty()) return false;
  const std::uint64_t now = all.back().events;
  std::size_t changes = 0;
  std::uint64_t piled = 0, base_bytes = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool joins =
        i > 0 && i + 1 < all.size() && all[i + 1].events - all[i - 1].events <= gap_(now - all[i].events);
    if (joins) {
      if (auto joined = join(all[i], all[i + 1]); !joined) return joined.error();
      return true;
    }
    if (all[i].base) {
      changes = 0;
      piled = 0;
      base_bytes = all[i].bytes;
      continue;
    }
    piled += all[i].bytes;
    if (++changes < kChangesMax && piled <= 2 * base_bytes + kBatchBytes) continue;
    if (auto made = make_base(all[i]); !made) return made.error();
    return true;
  }
  return false;
}

// Rows that `into` lacks, from the others. While it is under way `into` is read as before: what is added says
// the same as what lies below it.
Result<void> CheckpointDb::copy_missing(const std::vector<PastCheckpoint>& from, const PastCheckpoint& into,
                                        bool gone_too, std::uint64_t& bytes) {
  CheckpointMerge merge(*db_, from);
  rocksdb::WriteBatch batch;
  for (; merge.valid(); merge.next()) {
    const bool there = !merge.value().empty() && merge.value()[0] == kPastThere;
    if (!there && !gone_too) continue;
    bytes += merge.key().size() + merge.value().size();
    if (merge.source() == 0) continue;  // it is there already
    put_row(batch, into.next, merge.key(),
            there ? std::optional<std::string_view>(merge.value().substr(1)) : std::nullopt);
    if (batch.GetDataSize() < kBatchBytes) continue;
    const auto status = db_->Write(rocksdb::WriteOptions(), &batch);
    if (!status.ok()) return to_error(status, "tidy the checkpoints of the past");
    batch.Clear();
  }
  if (!merge.status().ok()) return to_error(merge.status(), "tidy the checkpoints of the past");
  const auto status = db_->Write(rocksdb::WriteOptions(), &batch);
  return status.ok() ? Result<void>() : to_error(status, "tidy the checkpoints of the past");
}

Result<void> CheckpointDb::make_base(PastCheckpoint at) {
  const auto chain = chain_of(at);
  at.bytes = 0;
  if (auto copied = copy_missing(chain, at, false, at.bytes); !copied) return copied;
  at.base = true;
  at.from = at.next;
  return seal(at);
}

// `old` goes, and what it says goes into the next.
Result<void> CheckpointDb::join(const PastCheckpoint& old, PastCheckpoint into) {
  if (!into.base) {
    into.bytes = 0;
    if (auto copied = copy_missing({into, old}, into, !old.base, into.bytes); !copied) return copied;
    into.base = old.base;
    into.from = old.base ? into.next : old.from;
  }
  const std::unique_lock lock(rows_);
  rocksdb::WriteBatch batch;
  batch.Put(checkpoint_key(into.next), encode(CheckpointFields{into}));
  batch.Delete(checkpoint_key(old.next));
  batch.DeleteRange(past_prefix(old.next), past_prefix(old.next + 1));
  const auto status = db_->Write(rocksdb::WriteOptions(), &batch);
  if (!status.ok()) return to_error(status, "tidy the checkpoints of the past");
  remember(into);
  forget(old.next);
  return {};
}

}  // namespace berth::projections
