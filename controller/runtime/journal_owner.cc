#include "controller/runtime/journal_owner.h"

#include <spdlog/spdlog.h>

#include <string>
#include <vector>

#include "events/codec/journal_signer.h"
#include "events/codec/made_before.h"
#include "events/log/log_errors.h"
#include "projections/sealed_secrets.h"

namespace berth::controller {
namespace {

constexpr int kOwnerPolls = 20;
constexpr Duration kOwnerWait = 250 * kMillisecond;
constexpr std::size_t kOwnerBytes = 64u << 10;
constexpr std::size_t kNamedMax = 20;  // key pairs, a line each

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
  std::size_t open = 0;
  std::vector<std::string> closed, lost;  // that a key of now should open; that a destroyed key has sealed
  api.with_state([&](const StateView& view) {
    for (const std::string& id : view.state.key_pairs.sorted_keys()) {
      const auto& def = view.state.key_pairs.find(id)->def;
      if (!def.has_secret()) continue;
      if (api.key_pairs().open(def))
        ++open;
      else
        (projections::is_destroyed(view.state, def.secret().key()) ? lost : closed).push_back(id);
    }
  });
  if (closed.size() > open)
    return make_error(
        "sealing-keys-wrong",
        "cluster.json's sealing_keys do not open the secret of key pair " + closed.front(),
        "bring back the cluster.json that belongs to this log: a key of it is missing or damaged");
  lost.insert(lost.end(), closed.begin(), closed.end());
  for (std::size_t i = 0; i < lost.size() && i < kNamedMax; ++i)
    spdlog::warn(
        "key pair {} is dead: no sealing key of cluster.json opens its secret; its user makes another",
        lost[i]);
  if (lost.size() > kNamedMax) spdlog::warn("{} more key pairs are dead", lost.size() - kNamedMax);
  return {};
}

}  // namespace berth::controller
