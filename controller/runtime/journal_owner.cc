#include "controller/runtime/journal_owner.h"

#include <vector>

#include "events/codec/envelope.h"
#include "events/log/log_errors.h"

namespace berth::controller {
namespace {

constexpr int kOwnerPolls = 20;
constexpr Duration kOwnerWait = 250 * kMillisecond;
constexpr std::size_t kOwnerBytes = 64u << 10;

}  // namespace

Result<void> check_journal_owner(EventLog& log, const Uuid& cluster) {
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
  const auto envelope = open_envelope(entries.back().payload);
  if (!envelope || envelope->cluster == cluster) return {};
  return make_error("journal-of-another-cluster",
                    "this log holds the journal of another cluster than cluster.json's " + to_string(cluster),
                    "check --log and --data, or bring back the cluster.json that belongs to this log");
}

}  // namespace berth::controller
