#include "ops/cli/keeping/restore.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "events/base/edge_errors.h"
#include "events/base/secrets.h"
#include "ops/cli/command/replay.h"

namespace berth::cli {
namespace {

using controller::ClusterIdentity;
using projections::Projection;

constexpr char kController[] = "restore";
constexpr std::size_t kInFlight = 64;

Error no_gaps(Offset offset) {
  return make_error("journal-has-gaps",
                    "the log of this backup has no record at offset " + std::to_string(offset) +
                        ", and a new log cannot be made to skip one",
                    "the original's log holds it: keep that, or start a new cluster");
}

// A record of the restore's own, as a controller signs it.
Result<void> add_record(RestorePlan& plan, const ClusterIdentity& identity, const v1::Record& record) {
  std::string payload = JournalSigner(identity.cluster, identity.secret).sign(record.SerializeAsString());
  const auto outcome = plan.projection->apply(plan.projection->chain().next(), payload);
  if (!outcome.applied())
    return make_error("restore-failed", "the record that ends a restore does not apply: " + outcome.text(),
                      "is the backup of a newer version than this program?");
  plan.more.push_back(std::move(payload));
  return {};
}

// Appends, a bounded number at a time, and waits for each.
class Appending {
 public:
  explicit Appending(EventLog& log) : log_(log) {}

  Result<void> append(Offset offset, std::string payload) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return in_flight_ < kInFlight || error_; });
      if (error_) return *error_;
      ++in_flight_;
    }
    log_.append({Stream::kJournal, 0}, kController, std::move(payload),
                [this, offset](const AppendResult& result) { done(offset, result); });
    return {};
  }
  Result<void> wait() {
    log_.flush();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return in_flight_ == 0; });
    return error_ ? Result<void>(*error_) : Result<void>();
  }

 private:
  void done(Offset offset, const AppendResult& result) {
    const std::lock_guard lock(mutex_);
    --in_flight_;
    if (!error_ && result.state != AppendState::kDurable)
      error_ = result.error.code.empty()
                   ? make_error("restore-failed", "the log did not take record " + std::to_string(offset), "")
                   : result.error;
    if (!error_ && result.offset != offset)
      error_ = make_error("restore-failed",
                          "record " + std::to_string(offset) + " came to offset " +
                              std::to_string(result.offset) + ": somebody else writes to this log",
                          "restore into a log of its own");
    changed_.notify_all();
  }

  EventLog& log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t in_flight_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<RestorePlan> fold_backup(const BackupSource& source, const ClusterIdentity& identity) {
  const Manifest& manifest = source.manifest();
  const JournalTrust trust = JournalSigner(identity.cluster, identity.secret);
  RestorePlan plan;
  plan.projection = std::make_unique<Projection>(identity.cluster, Projection::Tracking::kRows, trust);
  const auto read = source.read_journal([&](LogEntry entry) -> Result<void> {
    if (entry.gap) return no_gaps(entry.offset);
    const auto applied = plan.projection->counters().applied;
    const auto folded = fold_entry(*plan.projection, entry);
    if (folded && plan.projection->counters().applied > applied)
      for (const v1::Event& event : plan.projection->record().events())
        if (event.has_seal_key_added()) plan.seal_keys.push_back(event.seal_key_added());
    if (folded) return {};
    return make_error(folded.failure().code, folded.failure().message, folded.failure().hint);
  });
  if (!read) return read.error();
  if (plan.projection->counters().applied == 0)
    return make_error("cluster-secret-wrong", "the cluster.json given has signed no record of this backup",
                      "give that of the cluster that the backup was taken of");
  if (to_hex(as_view(plan.projection->chain().rolling())) != manifest.rolling_hash ||
      to_hex(as_view(plan.projection->state_hash())) != manifest.state_hash)
    return make_error("backup-differs", "the records of this backup do not give the hashes of its manifest",
                      "it was changed, or a program of another version folds otherwise");
  return plan;
}

Result<void> plan_restore(RestorePlan& plan, const BackupSource& source, const ClusterIdentity& identity,
                          const std::string& into, Timestamp now) {
  const auto& state = plan.projection->state();
  plan.browser_sessions = state.browser_sessions.size();
  plan.links = state.login_links.size();
  v1::Record election;
  election.mutable_header()->set_epoch(state.epoch().epoch + 1);
  election.mutable_header()->set_time_ns(std::max(now, state.epoch().time));
  auto* elected = election.add_events()->mutable_controller_elected();
  elected->set_controller(kController);
  elected->set_nonce(std::string(SystemRandom().uuid().view()));
  elected->mutable_claim()->set_offset(plan.projection->chain().next());
  elected->mutable_claim()->set_rolling(std::string(as_view(plan.projection->chain().rolling())));
  elected->set_rules(kRules);
  if (auto added = add_record(plan, identity, election); !added) return added;
  v1::Record record;
  auto* header = record.mutable_header();
  header->set_epoch(state.epoch().epoch);
  header->set_sequence(1);
  header->set_link(std::string(as_view(state.epoch().link)));
  header->set_time_ns(state.epoch().time);
  auto* restored = record.add_events()->mutable_cluster_restored();
  restored->set_backup(source.manifest().id);
  restored->set_taken_ns(source.manifest().taken);
  restored->set_into(into.substr(0, 200));
  for (const std::uint32_t number : plan.lost_seal_keys) restored->add_lost_seal_keys(number);
  return add_record(plan, identity, record);
}

Result<void> check_empty(EventLog& log) {
  for (int i = 0; i < kStreamCount; ++i) {
    const auto stream = static_cast<Stream>(i);
    for (std::uint32_t number = 0; number < log.layout().partitions_of(stream); ++number) {
      const auto extent = log.extent({stream, number});
      if (!extent) return extent.error();
      if (extent->end != 0)
        return make_error("restore-target-not-empty",
                          "that log has records already, in " + to_string(Partition{stream, number}),
                          "restore into an empty folder, or into streams of another name: "
                          "kafka://HOST:PORT/NAME");
    }
  }
  return {};
}

Result<void> write_restored(const BackupSource& source, const RestorePlan& plan, EventLog& log,
                            const std::function<void(Offset)>& progress) {
  Appending appending(log);
  auto written = source.read_journal([&](LogEntry entry) {
    if (entry.offset % 10'000 == 0) progress(entry.offset);
    return appending.append(entry.offset, std::move(entry.payload));
  });
  Offset next = source.manifest().next;
  for (const std::string& payload : plan.more)
    if (written) written = appending.append(next++, payload);
  auto ended = appending.wait();
  return written ? ended : written;
}

}  // namespace berth::cli
