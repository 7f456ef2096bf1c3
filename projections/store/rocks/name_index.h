// The index of names: from the name of a session in history to its entry, newest end first.
//
// Keys of the store's database: 'n' name 0 user 0 history-key, without a value, written and removed with each
// entry in one batch.
#pragma once

#include <optional>
#include <string>

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "projections/store/store.h"

namespace berth::projections::name_index {

void put(rocksdb::WriteBatch& out, const HistoryEntry& entry, const std::string& history_key);
void remove(rocksdb::WriteBatch& out, const HistoryEntry& entry, const std::string& history_key);
// The history key of the newest session of that name; `user` empty: of anybody.
std::optional<std::string> find(rocksdb::DB& db, const std::string& user, const std::string& name);

}  // namespace berth::projections::name_index
