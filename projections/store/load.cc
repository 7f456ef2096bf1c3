#include "projections/store/store.h"
#include "projections/store/store_errors.h"

namespace berth::projections {
namespace {

Error corrupt(std::string what) {
  return make_error(kStoreCorruptCode, "the projection's store is damaged: " + std::move(what),
                    "it is disposable: it is moved aside and rebuilt from the journal");
}

// Loads the row into the table with that number; false if it does not decode.
bool load_row(State& state, StateHash& hash, const LoadedRow& loaded) {
  bool done = false;
  State::each_table(state, [&](auto& table) {
    using Row = std::remove_cvref_t<decltype(*table.find({}))>;
    if (Row::kTable != loaded.table) return;
    RowDecoder decoder(loaded.bytes);
    Row row;
    if (decoder.ok()) row.fields(decoder);
    if (!decoder.ok() || key_bytes(row.key()) != loaded.key) return;
    if constexpr (std::is_same_v<Row, KernelRow>) {
      const SessionRow* session = state.sessions.find(row.session);
      if (session == nullptr || row.role >= static_cast<std::uint32_t>(session->spec->spec.roles_size()))
        return;
      row.spec = session->spec;
      row.owner = session->owner;
    }
    table.load(std::move(row), loaded.bytes, hash);
    done = true;
  });
  return done;
}

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
  auto read = store.read_rows([&](const LoadedRow& row) {
    if (load_row(projection->state_to_load(), projection->hash_to_load(), row)) return true;
    bad = "a row of table " + std::to_string(row.table);
    return false;
  });
  if (!read) return read.error();
  if (!bad.empty()) return corrupt(bad);
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
