// NameIndex: from the name of a session in history to its entry, newest end first.
//
// Keys of the store's database: 'n' name 0 user 0 history-key, without a value, written with each entry; and
// 'N', which stands there once every entry has its key. A store from before the index is indexed by a thread
// of its own: until that is through, the names of older sessions are not found, and everything else goes on.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "projections/store/store.h"

namespace berth::projections {

class NameIndex {
 public:
  ~NameIndex() { stop(); }

  // Indexes what is not indexed yet. `db` stays open until stop().
  void start(rocksdb::DB& db);
  // Before the database is closed.
  void stop();
  bool is_whole(rocksdb::DB& db) const;

  // With the entry itself, in one batch.
  static void put(rocksdb::WriteBatch& out, const HistoryEntry& entry, const std::string& history_key);
  static void remove(rocksdb::WriteBatch& out, const HistoryEntry& entry, const std::string& history_key);
  // The history key of the newest session of that name; `user` empty: of anybody.
  static std::optional<std::string> find(rocksdb::DB& db, const std::string& user, const std::string& name);

 private:
  void build(rocksdb::DB& db);

  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace berth::projections
