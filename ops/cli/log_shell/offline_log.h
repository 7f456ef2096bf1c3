// OfflineLog: the journal of a data folder, or of a backup of it, read without its server. Nothing is locked
// and nothing is written: a running server does not notice. What it writes later is not seen.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "events/log/read_on.h"
#include "projections/past/rebuild.h"

namespace berth::cli {

// The log of such a folder, for reading alone. `lost`, codes: no-log-here, and what
// open_local_log_for_reading() says.
Result<std::unique_ptr<EventLog>> open_offline_log(const std::string& folder,
                                                   std::optional<Error>* lost = nullptr);

// For read_on(): a broker answers when it can; a log on a disk at once.
inline constexpr Duration kOfflinePatience = 30 * kSecond;
inline constexpr std::size_t kOfflineBytesAtOnce = 4u << 20;

class OfflineLog {
 public:
  // `folder`: the data folder of a server, or the folder of its log alone. Codes: no-log-here, and those of
  // open_local_log_for_reading().
  static Result<std::unique_ptr<OfflineLog>> open(const std::string& folder);
  // The same of a log that is open: a cluster's on Kafka, a backup's in memory. `name` is for people.
  static Result<std::unique_ptr<OfflineLog>> of(std::unique_ptr<EventLog> log, const std::string& name);

  // The records are [first, next).
  Offset first() const { return first_; }
  Offset next() const { return next_; }
  // What the end mark says of a tail that is lost.
  const std::optional<Error>& lost() const { return lost_; }
  // Whether the MACs of records are checked: the cluster's secret is in the folder. Else the signed heads say
  // which records the cluster ignored; behind the last one nothing does.
  bool verifies() const { return verifies_; }

  // After that record. REQUIRES: first() <= position < next().
  Result<projections::PastPtr> state(Offset position);
  // The last record that is not after the time; nullopt: all are later.
  Result<std::optional<Offset>> position_of(Timestamp time) const;
  // A record that is not void; nullopt: none is there. REQUIRES: first() <= position < next().
  Result<std::optional<v1::Record>> record(Offset position) const;

 private:
  OfflineLog() = default;
  static Result<std::unique_ptr<OfflineLog>> begin(std::unique_ptr<EventLog> log, const std::string& name);
  void fold_with_what_is_known();
  Result<void> find_ignored();
  Result<void> read_cluster();
  void read_beside(const std::string& folder);

  Result<std::vector<LogEntry>> entries_at(Offset position, std::size_t count) const;

  std::unique_ptr<EventLog> log_;
  mutable std::unique_ptr<LogReader> reader_;
  std::unique_ptr<projections::CheckpointDb> checkpoints_;
  std::unique_ptr<projections::PastRebuilder> rebuilder_;
  JournalTrust trust_;
  std::set<Offset> voids_;
  std::set<Offset> ignored_;  // as signed heads say
  Uuid cluster_;
  bool verifies_ = false;
  std::optional<Error> lost_;
  Offset first_ = 0, next_ = 0;
  projections::PastPtr newest_;  // of those that were asked for
};

}  // namespace berth::cli
