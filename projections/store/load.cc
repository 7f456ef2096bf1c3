#include "projections/store/row_loader.h"
#include "projections/store/store_errors.h"

namespace berth::projections {
namespace {

Error corrupt(std::string what) {
  return make_error(kStoreCorruptCode, "the projection's store is damaged: " + std::move(what),
                    "it is disposable: it is moved aside and rebuilt from the journal");
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
  RowLoader loader(projection->state_to_load(), &projection->hash_to_load());
  auto read = store.read_rows([&](const LoadedRow& row) {
    if (loader.take(row)) return true;
    bad = "a row of table " + std::to_string(row.table);
    return false;
  });
  if (!read) return read.error();
  if (!bad.empty()) return corrupt(bad);
  loader.finish();
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
