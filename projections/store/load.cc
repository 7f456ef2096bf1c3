#include <algorithm>
#include <type_traits>

#include "projections/store/store.h"
#include "projections/store/store_errors.h"

namespace berth::projections {
namespace {

Error corrupt(std::string what) {
  return make_error(kStoreCorruptCode, "the projection's store is damaged: " + std::move(what),
                    "it is disposable: it is moved aside and rebuilt from the journal");
}

// The place of a row in one of the state's queues.
Timestamp time_of(const SessionRow& row) { return row.ended_at; }
Timestamp time_of(const RequestRow& row) { return row.answered_at; }
Timestamp time_of(const FolderRow& row) { return row.purge_at; }

// Puts rows into their tables as they come, in key order. Those that the state queues by time wait until all
// of their table are there: a queue takes a row at its end at once, and one in its middle after a search.
class RowLoader {
 public:
  RowLoader(State& state, StateHash& hash) : state_(state), hash_(hash) {}

  // False if the row does not decode.
  bool take(const LoadedRow& loaded) {
    if (loaded.table != table_) settle();
    table_ = loaded.table;
    bool done = false;
    State::each_table(state_, [&](auto& table) {
      using Row = typename std::remove_cvref_t<decltype(table)>::Row;
      if (Row::kTable == loaded.table) done = take(table, loaded);
    });
    return done;
  }
  // After the last row.
  void settle() {
    settle(state_.sessions, sessions_);
    settle(state_.requests, requests_);
    settle(state_.folders, folders_);
  }

 private:
  template <class Row> struct Waiting {
    Row row;
    std::string bytes;
  };

  template <class Row> bool take(Table<Row>& table, const LoadedRow& loaded) {
    RowDecoder decoder(loaded.bytes);
    Row row;
    if (decoder.ok()) row.fields(decoder);
    if (!decoder.ok() || key_bytes(row.key()) != loaded.key) return false;
    if constexpr (std::is_same_v<Row, KernelRow>)
      if (!join_session(row)) return false;
    if constexpr (std::is_same_v<Row, SessionRow>)
      sessions_.push_back({std::move(row), std::string(loaded.bytes)});
    else if constexpr (std::is_same_v<Row, RequestRow>)
      requests_.push_back({std::move(row), std::string(loaded.bytes)});
    else if constexpr (std::is_same_v<Row, FolderRow>)
      folders_.push_back({std::move(row), std::string(loaded.bytes)});
    else
      table.load(std::move(row), loaded.bytes, hash_);
    return true;
  }

  bool join_session(KernelRow& row) const {
    const SessionRow* session = state_.sessions.find(row.session);
    if (session == nullptr || row.role >= static_cast<std::uint32_t>(session->spec->spec.roles_size()))
      return false;
    row.spec = session->spec;
    row.owner = session->owner;
    return true;
  }

  template <class Row> void settle(Table<Row>& table, std::vector<Waiting<Row>>& waiting) {
    std::stable_sort(waiting.begin(), waiting.end(),
                     [](const auto& a, const auto& b) { return time_of(a.row) < time_of(b.row); });
    for (auto& one : waiting) table.load(std::move(one.row), one.bytes, hash_);
    waiting.clear();
  }

  State& state_;
  StateHash& hash_;
  std::uint8_t table_ = 0;
  std::vector<Waiting<SessionRow>> sessions_;
  std::vector<Waiting<RequestRow>> requests_;
  std::vector<Waiting<FolderRow>> folders_;
};

}  // namespace

Result<std::unique_ptr<Projection>> load_projection(Store& store, const Uuid& cluster,
                                                    const JournalTrust& trust) {
  auto projection = std::make_unique<Projection>(cluster, Projection::Tracking::kRows, trust);
  auto meta = store.read_meta();
  if (!meta) return meta.error();
  if (!meta->has_value()) return projection;
  const StoreMeta& head = **meta;
  if (head.cluster != cluster)
    return make_error("other-cluster", "the projection belongs to cluster " + to_string(head.cluster) +
                                           ", not " + to_string(cluster));
  if (head.schema != kStoreSchema)
    return make_error(kStoreSchemaCode, "the projection's rows are of schema " + std::to_string(head.schema));

  std::string bad;
  RowLoader loader(projection->state_to_load(), projection->hash_to_load());
  auto read = store.read_rows([&](const LoadedRow& row) {
    if (loader.take(row)) return true;
    bad = "a row of table " + std::to_string(row.table);
    return false;
  });
  if (!read) return read.error();
  if (!bad.empty()) return corrupt(bad);
  loader.settle();
  projection->state_to_load().finish_load();
  if (projection->hash_to_load().value() != head.state_hash)
    return corrupt("its rows do not add up to its state hash");
  auto chain = store.read_chain();
  if (!chain) return chain.error();
  if (chain->empty() || chain->back().next != head.next || chain->back().rolling != head.rolling)
    return corrupt("its chain");
  projection->restore_chain(std::move(*chain));
  return projection;
}

}  // namespace berth::projections
