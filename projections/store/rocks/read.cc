// What RocksStore reads.
#include <algorithm>

#include "events/codec/made_before.h"
#include "projections/store/rocks/keys.h"
#include "projections/store/rocks/meta_codec.h"
#include "projections/store/rocks/name_index.h"
#include "projections/store/rocks/rocks_store.h"
#include "projections/store/rocks/status.h"
#include "projections/store/store_errors.h"

namespace berth::projections {
namespace {

Error corrupt(const std::string& what) {
  return make_error(kStoreCorruptCode, "the projection's store is damaged: " + what,
                    "it is moved aside and rebuilt from the journal");
}

// Calls f(key without prefix, value) for all keys that begin with `prefix`, from `from` on, until f says
// false.
template <class F> rocksdb::Status scan(rocksdb::DB& db, char prefix, std::string_view from, F f) {
  rocksdb::ReadOptions options;
  options.readahead_size = 2u << 20;
  const std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(options));
  for (it->Seek(std::string(1, prefix) + std::string(from)); it->Valid() && it->key()[0] == prefix;
       it->Next()) {
    const std::string_view key(it->key().data() + 1, it->key().size() - 1);
    if (!f(key, it->value().ToStringView())) return {};
  }
  return it->status();
}

}  // namespace

Error RocksStore::closed() {
  return make_error("store-failed", "the projection's store could not be opened again",
                    "look at the disk under the state folder");
}

Result<std::optional<StoreMeta>> RocksStore::read_meta() {
  if (!db_) return closed();
  std::string bytes;
  const auto status = db_->Get(rocksdb::ReadOptions(), kMetaKey, &bytes);
  if (status.IsNotFound()) {
    if (db_->Get(rocksdb::ReadOptions(), kMetaKeyBefore, &bytes).ok())
      return made_before("the projection's store");
    return std::optional<StoreMeta>();
  }
  if (!status.ok()) return to_error(status, "read the projection");
  auto meta = decode_meta(bytes);
  if (!meta) return corrupt("its meta row");
  return meta;
}

Result<void> RocksStore::read_rows(const std::function<bool(const LoadedRow&)>& row) {
  if (!db_) return closed();
  const auto status = scan(*db_, 'r', {}, [&](std::string_view key, std::string_view value) {
    if (key.empty()) return row({0, key, value});
    return row({static_cast<std::uint8_t>(key[0]), key.substr(1), value});
  });
  if (!status.ok()) return to_error(status, "read the projection's rows");
  return {};
}

Result<std::deque<ChainPoint>> RocksStore::read_chain() {
  auto meta = read_meta();
  if (!meta) return meta.error();
  std::deque<ChainPoint> points;
  if (!meta->has_value()) return points;
  const Offset next = (*meta)->next, oldest = next < kChainWindow ? 0 : next - kChainWindow;
  bool whole = true;
  const auto status = scan(*db_, 'c', {}, [&](std::string_view, std::string_view value) {
    const auto point = decode_point(value);
    whole = whole && point.has_value();
    if (whole && point->next >= oldest && point->next <= next) points.push_back(*point);
    return whole;
  });
  if (!status.ok()) return to_error(status, "read the chain");
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.next < b.next; });
  if (!whole || points.size() != next - oldest + 1) return corrupt("its chain has holes");
  return points;
}

// Keys stand newest first.
bool RocksStore::is_kept(std::string_view history_key) const {
  const Timestamp from = keep_from_;
  return from == 0 || history_key <= last_kept_history_key(from);
}

Result<std::optional<HistoryEntry>> RocksStore::find_history(const SessionId& id) const {
  const std::shared_lock lock(lifetime_);
  if (!db_) return closed();
  std::string key, bytes;
  auto status = db_->Get(rocksdb::ReadOptions(), history_index_key(id), &key);
  if (status.ok()) status = db_->Get(rocksdb::ReadOptions(), history_row_key(key), &bytes);
  if (status.IsNotFound() || (status.ok() && !is_kept(key))) return std::optional<HistoryEntry>();
  if (!status.ok()) return to_error(status, "read history");
  auto entry = decode_history(bytes);
  if (!entry) return entry.error();
  return std::optional<HistoryEntry>(std::move(*entry));
}

Result<std::optional<HistoryEntry>> RocksStore::find_history_by_name(const std::string& user,
                                                                     const std::string& name) const {
  const std::shared_lock lock(lifetime_);
  if (!db_) return closed();
  const auto key = name_index::find(*db_, user, name);
  if (!key || !is_kept(*key)) return std::optional<HistoryEntry>();
  std::string bytes;
  const auto status = db_->Get(rocksdb::ReadOptions(), history_row_key(*key), &bytes);
  if (status.IsNotFound()) return std::optional<HistoryEntry>();
  if (!status.ok()) return to_error(status, "read history");
  auto entry = decode_history(bytes);
  if (!entry) return entry.error();
  return std::optional<HistoryEntry>(std::move(*entry));
}

Result<HistoryPage> RocksStore::read_history(std::size_t limit, const std::string& token) const {
  std::string from;
  if (!token.empty()) {
    auto key = key_of_token(token);
    if (!key) return key.error();
    from = *key + '\0';  // the first one after it
  }
  const std::shared_lock lock(lifetime_);
  if (!db_) return closed();
  HistoryPage page;
  std::string last;
  std::optional<Error> damage;
  const auto status = scan(*db_, 'h', from, [&](std::string_view key, std::string_view value) {
    if (!is_kept(key)) return false;
    if (page.entries.size() == limit) {
      page.next_token = history_token(last);
      return false;
    }
    auto entry = decode_history(value);
    if (!entry)
      damage = entry.error();
    else
      page.entries.push_back(std::move(*entry));
    last = key;
    return !damage.has_value();
  });
  if (!status.ok()) return to_error(status, "read history");
  if (damage) return *damage;
  return page;
}

Result<void> RocksStore::scan_views(std::string_view from, const OnRow& row) const {
  const std::shared_lock lock(lifetime_);
  if (!db_) return closed();
  const auto status = scan(*db_, kViewPrefix[0], from, row);
  if (!status.ok()) return to_error(status, "read a view");
  return {};
}

Result<std::optional<std::string>> RocksStore::last_view_before(std::string_view key) const {
  const std::shared_lock lock(lifetime_);
  if (!db_) return closed();
  const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(rocksdb::ReadOptions()));
  it->SeekForPrev(kViewPrefix + std::string(key));
  if (it->Valid() && it->key() == kViewPrefix + std::string(key)) it->Prev();
  if (!it->status().ok()) return to_error(it->status(), "read a view");
  if (!it->Valid() || !it->key().starts_with(kViewPrefix)) return std::optional<std::string>();
  return std::optional<std::string>(it->key().ToString().substr(kViewPrefix.size()));
}

}  // namespace berth::projections
