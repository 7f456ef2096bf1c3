#include "ops/cli/log_shell/offline_log.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "controller/runtime/cluster_identity.h"
#include "events/codec/envelope.h"
#include "events/codec/made_before.h"
#include "events/codec/parse_body.h"
#include "events/log/local/reading_log.h"
#include "projections/audit/chain_audit.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

constexpr Partition kJournalPartition{Stream::kJournal, 0};

bool is_data_folder(const std::string& folder) {
  std::error_code code;
  return fs::exists(folder + "/log/rows", code);
}

}  // namespace

Result<std::unique_ptr<EventLog>> open_offline_log(const std::string& folder, std::optional<Error>* lost) {
  std::error_code code;
  const bool is_data = is_data_folder(folder);
  if (!is_data && !fs::exists(folder + "/rows", code))
    return make_error("no-log-here", "there is no log in " + folder,
                      "the data folder of a `berth up`, a copy or a backup of it, or kafka://HOST:PORT");
  return open_local_log_for_reading(is_data ? folder + "/log" : folder, lost);
}

Result<std::unique_ptr<OfflineLog>> OfflineLog::open(const std::string& folder) {
  const bool is_data = is_data_folder(folder);
  std::optional<Error> lost;
  auto log = open_offline_log(folder, &lost);
  if (!log) return log.error();
  auto offline = begin(std::move(*log), folder);
  if (!offline) return lost ? *lost : offline.error();
  (*offline)->lost_ = std::move(lost);
  if (is_data) (*offline)->read_beside(folder);
  if (auto found = (*offline)->find_ignored(); !found) return found.error();
  (*offline)->fold_with_what_is_known();
  return offline;
}

Result<std::unique_ptr<OfflineLog>> OfflineLog::of(std::unique_ptr<EventLog> log, const std::string& name) {
  auto offline = begin(std::move(log), name);
  if (!offline) return offline;
  if (auto found = (*offline)->find_ignored(); !found) return found.error();
  (*offline)->fold_with_what_is_known();
  return offline;
}

Result<std::unique_ptr<OfflineLog>> OfflineLog::begin(std::unique_ptr<EventLog> log,
                                                      const std::string& name) {
  std::unique_ptr<OfflineLog> offline(new OfflineLog);
  offline->log_ = std::move(log);
  const auto extent = offline->log_->extent(kJournalPartition);
  if (!extent) return extent.error();
  offline->first_ = extent->begin;
  offline->next_ = extent->end;
  if (extent->begin == extent->end)
    return make_error("no-log-here", "the journal in " + name + " is empty", "was a server ever started?");
  if (auto read = offline->read_cluster(); !read) return read.error();
  return offline;
}

// One more walk over the log, where the secret is not at hand that tells it of each record alone.
Result<void> OfflineLog::find_ignored() {
  if (verifies_ || first_ != 0) return {};
  projections::ChainAudit audit(cluster_);
  audit.set_on_settled([this](Offset offset, bool is_ignored) {
    if (is_ignored) ignored_.insert(offset);
  });
  auto reader = log_->open_reader({{kJournalPartition, 0}});
  if (!reader) return reader.error();
  while (audit.next() < next_) {
    const auto entries = read_on(**reader, kOfflinePatience, 4'096, kOfflineBytesAtOnce);
    if (!entries) return entries.error();
    for (const LogEntry& entry : *entries)
      if (entry.offset >= next_ || !audit.take(entry)) return {};
  }
  return {};
}

void OfflineLog::fold_with_what_is_known() {
  rebuilder_ = std::make_unique<projections::PastRebuilder>(projections::PastRebuilder::Parts{
      cluster_, trust_, *log_, checkpoints_.get(), [this](Offset offset) { return voids_.contains(offset); },
      [this](Offset offset) { return ignored_.contains(offset); }});
}

// The first record says whose journal it is.
Result<void> OfflineLog::read_cluster() {
  const auto entries = entries_at(first_, 1'000);
  if (!entries) return entries.error();
  for (const LogEntry& entry : *entries) {
    const auto envelope = open_envelope(entry.payload);
    if (!envelope && is_made_before(envelope.error())) return envelope.error();
    if (!envelope) continue;
    cluster_ = envelope->cluster;
    return {};
  }
  return make_error("no-log-here", "no record of this journal can be read", "is it a log of Berth's?");
}

// What a server keeps beside the log makes it quicker, and is left away where it does not fit.
void OfflineLog::read_beside(const std::string& folder) {
  if (const auto identity = controller::read_cluster_identity(folder + "/cluster.json");
      identity.ok() && identity->cluster == cluster_) {
    trust_ = JournalSigner(identity->cluster, identity->secret);
    verifies_ = true;
  }
  std::ifstream voids(folder + "/state/voids", std::ios::binary);
  for (char bytes[8]; voids.read(bytes, sizeof bytes);) {
    Offset offset = 0;
    std::memcpy(&offset, bytes, sizeof offset);
    voids_.insert(offset);
  }
  std::error_code code;
  if (!fs::exists(folder + "/state/past/CURRENT", code)) return;
  auto opened = projections::CheckpointDb::open(folder + "/state/past", cluster_,
                                                projections::CheckpointDb::Mode::kReadOnly);
  if (opened) checkpoints_ = std::move(*opened);
}

Result<projections::PastPtr> OfflineLog::state(Offset position) {
  if (newest_ != nullptr && newest_->point.position == position) return newest_;
  auto state = rebuilder_->rebuild(position + 1, newest_, [](Offset, Offset) { return true; });
  if (state) newest_ = *state;
  return state;
}

Result<std::optional<Offset>> OfflineLog::position_of(Timestamp time) const {
  const auto found = rebuilder_->find(time, first_, next_);
  if (!found) return found.error();
  return *found ? std::optional((*found)->position) : std::optional<Offset>();
}

// One reader for all: on Kafka each is a connection of its own.
Result<std::vector<LogEntry>> OfflineLog::entries_at(Offset position, std::size_t count) const {
  if (reader_ == nullptr) {
    auto opened = log_->open_reader({{kJournalPartition, position}});
    if (!opened) return opened.error();
    reader_ = std::move(*opened);
  }
  reader_->seek(kJournalPartition, position);
  return read_on(*reader_, kOfflinePatience, count, kOfflineBytesAtOnce);
}

Result<std::optional<v1::Record>> OfflineLog::record(Offset position) const {
  const auto entries = entries_at(position, 1);
  if (!entries) return entries.error();
  v1::Record record;
  if (entries->empty() || entries->front().gap || voids_.contains(position) || ignored_.contains(position) ||
      !parse_body(open_envelope(entries->front().payload, cluster_), record))
    return std::optional<v1::Record>();
  return std::optional(std::move(record));
}

}  // namespace berth::cli
