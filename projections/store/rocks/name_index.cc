#include "projections/store/rocks/name_index.h"

#include <algorithm>
#include <memory>

#include "projections/store/rocks/keys.h"

namespace berth::projections {
namespace {

constexpr const char* kWholeKey = "N";
constexpr std::size_t kEntriesAtOnce = 500;

// Names and users hold no 0 byte (events/base/name.h), so a prefix is of one name, or of one user's.
std::string prefix_of(const std::string& name) { return "n" + name + '\0'; }
std::string prefix_of(const std::string& name, const std::string& user) {
  return prefix_of(name) + user + '\0';
}

}  // namespace

void NameIndex::start(rocksdb::DB& db) {
  if (is_whole(db)) return;
  stopping_ = false;
  thread_ = std::thread([this, &db] { build(db); });
}

void NameIndex::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

bool NameIndex::is_whole(rocksdb::DB& db) const {
  std::string ignored;
  return db.Get(rocksdb::ReadOptions(), kWholeKey, &ignored).ok();
}

void NameIndex::put(rocksdb::WriteBatch& out, const HistoryEntry& entry, const std::string& history_key) {
  out.Put(prefix_of(entry.session.name, entry.session.owner->owner.user()) + history_key, "");
}

void NameIndex::remove(rocksdb::WriteBatch& out, const HistoryEntry& entry, const std::string& history_key) {
  out.Delete(prefix_of(entry.session.name, entry.session.owner->owner.user()) + history_key);
}

// Entries that come meanwhile bring their keys along; to write a key again changes nothing.
void NameIndex::build(rocksdb::DB& db) {
  const std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(rocksdb::ReadOptions()));
  rocksdb::WriteBatch batch;
  const auto write = [&] {
    const auto status = db.Write(rocksdb::WriteOptions(), &batch);
    batch.Clear();
    return status.ok();  // if not, the next start goes on
  };
  for (it->Seek("h"); it->Valid() && it->key()[0] == 'h'; it->Next()) {
    if (stopping_) return;
    const auto entry = decode_history(it->value().ToStringView());
    if (entry) put(batch, *entry, it->key().ToString().substr(1));
    if (batch.Count() >= kEntriesAtOnce && !write()) return;
  }
  if (!it->status().ok()) return;
  batch.Put(kWholeKey, "");
  write();
}

std::optional<std::string> NameIndex::find(rocksdb::DB& db, const std::string& user,
                                           const std::string& name) {
  const std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(rocksdb::ReadOptions()));
  const std::string prefix = user.empty() ? prefix_of(name) : prefix_of(name, user);
  std::optional<std::string> newest;
  for (it->Seek(prefix); it->Valid() && it->key().starts_with(prefix);) {
    const std::string key = it->key().ToString(), rest = key.substr(prefix_of(name).size());
    const std::string owner = rest.substr(0, rest.find('\0'));
    const std::string found = rest.substr(std::min(owner.size() + 1, rest.size()));
    if (!newest || found < *newest) newest = found;  // ascending keys: newest end first
    if (!user.empty()) break;
    it->Seek(prefix_of(name) + owner + '\1');  // the next user's newest
  }
  return newest;
}

}  // namespace berth::projections
