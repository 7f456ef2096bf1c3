#include "projections/store/row_loader.h"

#include <algorithm>

namespace berth::projections {
namespace {

// The place of a row in one of the state's queues; 0: in none.
Timestamp time_of(const SessionRow& row) { return row.ended_at; }
Timestamp time_of(const RequestRow& row) { return row.answered_at; }
Timestamp time_of(const FolderRow& row) { return row.purge_at; }

}  // namespace

bool RowLoader::take(const LoadedRow& loaded) {
  if (loaded.table != table_) settle();
  table_ = loaded.table;
  bool done = false;
  State::each_table(state_, [&](auto& table) {
    using Row = typename std::remove_cvref_t<decltype(table)>::Row;
    if (Row::kTable == loaded.table) done = take(table, loaded);
  });
  return done;
}

void RowLoader::finish() {
  settle();
  state_.adopt(parts_);
}

void RowLoader::settle() {
  settle(state_.sessions, sessions_);
  settle(state_.requests, requests_);
  settle(state_.folders, folders_);
}

template <class Row> bool RowLoader::take(Table<Row>& table, const LoadedRow& loaded) {
  SharingDecoder decoder(loaded.bytes, parts_);
  Row row;
  if (decoder.ok()) row.fields(decoder);
  if (!decoder.ok() || key_bytes(row.key()) != loaded.key) return false;
  if constexpr (std::is_same_v<Row, KernelRow>)
    if (!join_session(row)) return false;
  if constexpr (std::is_same_v<Row, SessionRow>)
    wait(table, sessions_, std::move(row), loaded.bytes);
  else if constexpr (std::is_same_v<Row, RequestRow>)
    wait(table, requests_, std::move(row), loaded.bytes);
  else if constexpr (std::is_same_v<Row, FolderRow>)
    wait(table, folders_, std::move(row), loaded.bytes);
  else
    put(table, std::move(row), loaded.bytes);
  return true;
}

template <class Row> void RowLoader::put(Table<Row>& table, Row row, std::string_view bytes) {
  if (hash_ != nullptr)
    table.load(std::move(row), bytes, *hash_);
  else
    table.load(std::move(row));
}

template <class Row>
void RowLoader::wait(Table<Row>& table, std::vector<Waiting<Row>>& waiting, Row row, std::string_view bytes) {
  if (time_of(row) == 0) return put(table, std::move(row), bytes);
  waiting.push_back({std::move(row), hash_ != nullptr ? std::string(bytes) : std::string()});
}

template <class Row> void RowLoader::settle(Table<Row>& table, std::vector<Waiting<Row>>& waiting) {
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const auto& a, const auto& b) { return time_of(a.row) < time_of(b.row); });
  for (auto& one : waiting) put(table, std::move(one.row), one.bytes);
  waiting.clear();
}

bool RowLoader::join_session(KernelRow& row) const {
  const SessionRow* session = state_.sessions.find(row.session);
  if (session == nullptr || row.role >= static_cast<std::uint32_t>(session->spec->spec.roles_size()))
    return false;
  row.spec = session->spec;
  row.owner = session->owner;
  return true;
}

}  // namespace berth::projections
