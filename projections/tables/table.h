// Table<Row>: the rows of one noun, with undo of one record and lists of what changed.
//
// put() replaces a whole row and keeps the old one in the undo list, so that a record with one forbidden
// event is void whole (P7). Derived indexes and a listener are told of each change, forwards and on undo
// alike, so that neither drifts from the rows.
//
// Not thread-safe. Decisions, hashes and answers take the rows by sorted_keys(), never in the order of the
// hash map.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "events/base/hash.h"
#include "projections/tables/row_codec.h"

namespace berth::projections {

// How keys are written in the store and under the state hash.
inline std::string key_bytes(const std::string& key) { return key; }
inline std::string key_bytes(const Uuid& key) { return std::string(key.view()); }
inline bool key_from_bytes(std::string_view bytes, std::string& key) {
  key = bytes;
  return true;
}
inline bool key_from_bytes(std::string_view bytes, Uuid& key) {
  const auto id = Uuid::from_bytes(bytes);
  if (!id || bytes.empty()) return false;
  key = *id;
  return true;
}

struct KeyHash {
  std::size_t operator()(const std::string& key) const { return std::hash<std::string>{}(key); }
  std::size_t operator()(const Uuid& key) const { return UuidHash{}(key); }
};

// The object that is told of each change of a row: it has on_row(const Row* before, const Row* after),
// nullptr for no row. The call is chosen at compile time; without an object a change costs one comparison.
//
// A copy tells nobody: an object belongs to the table that it was set on.
template <class Row> class RowListener {
 public:
  RowListener() = default;
  RowListener(const RowListener&) {}
  RowListener& operator=(const RowListener&) = delete;

  // `object` outlives the listener, or clear() comes first.
  template <class Object> void set(Object* object) {
    object_ = object;
    tell_ = [](void* to, const Row* before, const Row* after) {
      static_cast<Object*>(to)->on_row(before, after);
    };
  }
  void clear() { tell_ = nullptr; }
  void tell(const Row* before, const Row* after) const {
    if (tell_ != nullptr) tell_(object_, before, after);
  }

 private:
  void* object_ = nullptr;
  void (*tell_)(void*, const Row*, const Row*) = nullptr;
};

// One row's change, for the store: `bytes` absent = deleted.
struct RowChange {
  std::uint8_t table;
  std::string key;
  std::optional<std::string> bytes;
};

// Row needs: using Key; Key key() const; fields(V&); static constexpr std::uint8_t kTable (unique number).
template <class TableRow> class Table {
 public:
  using Row = TableRow;
  using Key = typename Row::Key;

  const Row* find(const Key& key) const {
    const auto it = rows_.find(key);
    return it == rows_.end() ? nullptr : &it->second.row;
  }
  std::size_t size() const { return rows_.size(); }

  void put(Row row) {
    Key key = row.key();
    auto [it, fresh] = rows_.try_emplace(key);
    Cell& cell = it->second;
    auto& [undo_key, before] = undo_.emplace_back(std::move(key), std::nullopt);
    if (!fresh) before = std::move(cell.row);
    cell.row = std::move(row);
    changed(cell, undo_key);
    tell(before ? &*before : nullptr, &cell.row);
  }

  // No-op when absent.
  void erase(const Key& key) {
    const auto it = rows_.find(key);
    if (it == rows_.end()) return;
    Row before = std::move(it->second.row);
    drop(it, key);
    tell(&before, nullptr);
    undo_.emplace_back(key, std::move(before));
  }

  void commit() { undo_.clear(); }
  void rollback() {
    while (!undo_.empty()) {
      auto [key, before] = std::move(undo_.back());
      undo_.pop_back();
      restore(key, std::move(before));
    }
  }

  // Told first: what is derived from the rows.
  template <class Indexes> void set_indexes(Indexes* indexes) { indexes_.set(indexes); }
  // Told second: one object outside of the state.
  template <class Object> void set_listener(Object* object) { listener_.set(object); }
  void clear_listener() { listener_.clear(); }

  // The durable fold tracks its changes; no other fold has a store and a state hash. REQUIRES: empty.
  void track_changes() { tracking_ = true; }
  // Of a copy that has no store: what changed is not collected any more.
  void stop_tracking() {
    tracking_ = false;
    dirty_.clear();
    gone_.clear();
  }

  // Brings the state hash up to date and appends what changed since the last call. A row that changed twice
  // appears once.
  void flush(StateHash& hash, std::vector<RowChange>* changes) {
    for (auto& [key, old_hash] : gone_) {
      hash.subtract(old_hash);
      if (changes != nullptr) changes->push_back({Row::kTable, key_bytes(key), std::nullopt});
    }
    gone_.clear();
    for (const Key& key : dirty_) flush_row(key, hash, changes);
    dirty_.clear();
  }

  // A row read back from the store. REQUIRES: tracking, nothing dirty. Its hash is taken into `hash`.
  void load(Row row, std::string_view bytes, StateHash& hash) {
    const Key key = row.key();
    Cell& cell = rows_[key];
    cell.row = std::move(row);
    cell.hashed = true;
    cell.hash = row_hash(key, bytes);
    hash.add(cell.hash);
    tell(nullptr, &cell.row);
  }

  // The same for a state that nobody hashes. REQUIRES: not tracking.
  void load(Row row) {
    Cell& cell = rows_[row.key()];
    cell.row = std::move(row);
    tell(nullptr, &cell.row);
  }

  std::vector<Key> sorted_keys() const {
    std::vector<Key> keys;
    keys.reserve(rows_.size());
    for (const auto& [key, cell] : rows_) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return keys;
  }
  // In any order: for sums and for copies into ordered containers, nothing else.
  template <class F> void for_each_unordered(F f) const {
    for (const auto& [key, cell] : rows_) f(cell.row);
  }

 private:
  struct Cell {
    Row row;
    Hash128 hash{};  // what the state hash counts for this row, when hashed
    bool hashed = false;
    bool dirty = false;
  };
  using Rows = std::unordered_map<Key, Cell, KeyHash>;

  static constexpr std::size_t kTypicalRowBytes = 384;

  static Hash128 row_hash(const Key& key, std::string_view bytes) {
    std::string input;
    const std::string k = key_bytes(key);
    input.reserve(k.size() + bytes.size() + 3);
    input += static_cast<char>(Row::kTable);
    input += static_cast<char>(k.size() & 0xFF);
    input += static_cast<char>(k.size() >> 8);
    input += k;
    input += bytes;
    return blake2b_128(input);
  }

  void tell(const Row* before, const Row* after) const {
    indexes_.tell(before, after);
    listener_.tell(before, after);
  }

  void changed(Cell& cell, const Key& key) {
    if (!tracking_ || cell.dirty) return;
    cell.dirty = true;
    dirty_.push_back(key);
  }

  void drop(typename Rows::iterator it, const Key& key) {
    if (tracking_ && it->second.hashed) gone_.emplace_back(key, it->second.hash);
    rows_.erase(it);  // a dirty key without a row is skipped by flush
  }

  void restore(const Key& key, std::optional<Row> before) {
    const auto it = rows_.find(key);
    if (!before) {
      Row after = std::move(it->second.row);
      drop(it, key);
      tell(&after, nullptr);
      return;
    }
    auto [place, fresh] = rows_.try_emplace(key);
    std::optional<Row> after;
    if (!fresh) after = std::move(place->second.row);
    place->second.row = std::move(*before);
    changed(place->second, key);
    tell(after ? &*after : nullptr, &place->second.row);
  }

  void flush_row(const Key& key, StateHash& hash, std::vector<RowChange>* changes) {
    const auto it = rows_.find(key);
    if (it == rows_.end() || !it->second.dirty) return;
    Cell& cell = it->second;
    RowEncoder encoder;
    encoder.reserve(kTypicalRowBytes);
    cell.row.fields(encoder);
    if (cell.hashed) hash.subtract(cell.hash);
    cell.hash = row_hash(key, encoder.view());
    cell.hashed = true;
    cell.dirty = false;
    hash.add(cell.hash);
    if (changes != nullptr) changes->push_back({Row::kTable, key_bytes(key), encoder.take()});
  }

  Rows rows_;
  std::vector<std::pair<Key, std::optional<Row>>> undo_;
  std::vector<Key> dirty_;
  std::vector<std::pair<Key, Hash128>> gone_;
  RowListener<Row> indexes_;
  RowListener<Row> listener_;
  bool tracking_ = false;
};

}  // namespace berth::projections
