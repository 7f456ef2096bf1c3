#include "projections/store/rocks/name_index.h"

#include <algorithm>
#include <memory>

namespace berth::projections::name_index {
namespace {

// Names and users hold no 0 byte (events/base/name.h), so a prefix is of one name, or of one user's.
std::string prefix_of(const std::string& name) { return "n" + name + '\0'; }
std::string prefix_of(const std::string& name, const std::string& user) {
  return prefix_of(name) + user + '\0';
}

}  // namespace

void put(rocksdb::WriteBatch& out, const HistoryEntry& entry, const std::string& history_key) {
  out.Put(prefix_of(entry.session.name, entry.session.owner->owner.user()) + history_key, "");
}

void remove(rocksdb::WriteBatch& out, const HistoryEntry& entry, const std::string& history_key) {
  out.Delete(prefix_of(entry.session.name, entry.session.owner->owner.user()) + history_key);
}

std::optional<std::string> find(rocksdb::DB& db, const std::string& user, const std::string& name) {
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

}  // namespace berth::projections::name_index
