#include "tests/simulation/dump.h"

#include <google/protobuf/util/json_util.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "events/base/checks.h"
#include "events/base/hex.h"

namespace berth::simulation {

namespace {

void dump_record(std::ostream& out, const projections::Projection& projection) {
  google::protobuf::util::JsonPrintOptions by_name;
  by_name.preserve_proto_field_names = true;
  std::string text;
  const auto made = google::protobuf::util::MessageToJsonString(projection.record(), &text, by_name);
  BERTH_CHECK(made.ok(), "a record that applied has a text");
  out << text << "\n";
}

void dump_rows(std::ostream& out, projections::Projection& projection) {
  std::vector<projections::RowChange> changes;
  std::vector<projections::HistoryEntry> history;
  projection.flush(changes, history);
  std::map<std::pair<int, std::string>, std::string> rows;
  for (auto& change : changes) {
    const std::pair<int, std::string> key{change.table, std::move(change.key)};
    if (change.bytes)
      rows[key] = std::move(*change.bytes);
    else
      rows.erase(key);
  }
  for (const auto& [key, bytes] : rows)
    out << "{\"table\":" << key.first << ",\"key\":\"" << to_hex(key.second) << "\",\"row\":\""
        << to_hex(bytes) << "\"}\n";
}

}  // namespace

void dump_run(std::ostream& out, std::uint64_t seed, const SimCluster& cluster) {
  out << "{\"seed\":" << seed << "}\n";
  projections::Projection fold(cluster.cluster, projections::Projection::Tracking::kRows, cluster.trust());
  const Partition journal{Stream::kJournal, 0};
  for (Offset at = 0; at < cluster.server->extent(journal).end; ++at) {
    const LogEntry entry = cluster.journal_at(at);
    auto outcome = fold.apply(entry);
    if (outcome.what == projections::ApplyOutcome::What::kMismatch) outcome = fold.apply(entry, true);
    if (outcome.applied()) dump_record(out, fold);
  }
  dump_rows(out, fold);
}

}  // namespace berth::simulation
