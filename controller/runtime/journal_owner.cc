#include "controller/runtime/journal_owner.h"

#include <vector>

#include "events/codec/journal_signer.h"
#include "events/codec/made_before.h"
#include "events/log/log_errors.h"

namespace berth::controller {
namespace {

constexpr int kOwnerPolls = 20;
constexpr Duration kOwnerWait = 250 * kMillisecond;
constexpr std::size_t kOwnerBytes = 64u << 10;

}  // namespace

Result<void> check_journal_owner(EventLog& log, const Uuid& cluster, std::string_view secret) {
  const Partition journal{Stream::kJournal, 0};
  const auto extent = log.extent(journal);
  if (!extent || extent->begin == extent->end) return {};
  auto reader = log.open_reader({{journal, extent->begin}});
  if (!reader) return {};
  std::vector<LogEntry> entries;
  for (int i = 0; i < kOwnerPolls && (entries.empty() || entries.back().gap); ++i)
    if (const auto got = (*reader)->poll(kOwnerWait, 1, kOwnerBytes, entries);
        !got && !is_log_unavailable(got.error()))
      return {};
  if (entries.empty()) return {};
  const std::string& oldest = entries.back().payload;
  const auto envelope = open_envelope(oldest);
  if (!envelope && is_made_before(envelope.error())) return envelope.error();
  if (!envelope) return {};
  if (envelope->cluster != cluster)
    return make_error(
        "journal-of-another-cluster",
        "this log holds the journal of another cluster than cluster.json's " + to_string(cluster),
        "check --log and --data, or bring back the cluster.json that belongs to this log");
  if (!JournalSigner(cluster, secret).is_right(oldest, *envelope))
    return make_error("cluster-secret-wrong", "cluster.json's secret has not signed this log's journal",
                      "bring back the cluster.json that belongs to this log");
  return {};
}

Result<ClusterIdentity> identity_for_log(const std::string& path, EventLog& log) {
  auto found = read_cluster_identity(path);
  if (found || !is_cluster_file_missing(found.error())) return found;
  const auto extent = log.extent({Stream::kJournal, 0});
  if (!extent) return extent.error();
  if (extent->end == 0) return load_or_create_cluster_identity(path);
  return make_error(
      found.error().code, "there is no " + path + ", and the log holds a cluster's journal",
      "bring back the cluster.json that belongs to this log (another controller of the cluster has "
      "the same), or name a data folder and a log that are empty");
}

Result<void> check_sealing_keys(ApiContext& api) {
  std::string closed;
  api.with_state([&](const StateView& view) {
    view.state.key_pairs.for_each_unordered([&](const projections::KeyPairRow& row) {
      if (row.def.has_secret() && !api.key_pairs().open(row.def)) closed = row.def.id();
    });
  });
  if (closed.empty()) return {};
  return make_error(
      "sealing-keys-wrong", "cluster.json's sealing_keys do not open the secret of key pair " + closed,
      "bring back the cluster.json that belongs to this log: a key of it is missing or damaged");
}

}  // namespace berth::controller
