// JournalFollower: reads the journal into a Projector. When the two disagree, the log decides (P12).
//
// The runtime calls step() in a loop on a thread of its own; the simulator calls step() with wait 0 when the
// log has new records. Other threads may use only wake() and the state that the projector's observer guards.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/log/event_log.h"
#include "events/log/log_errors.h"
#include "projections/store/projector.h"

namespace berth::projections {

struct FollowerOptions {
  bool accept_truncation = false;    // open() takes a log that ends before the store, and rebuilds (P26)
  std::string log_name = "the log";  // where the two are, for people
  std::string store_name = "the state";
};

// Records [left, read) were read and are no longer in the log.
struct Truncation {
  Offset read = 0;
  Offset left = 0;
};

class JournalFollower {
 public:
  static constexpr std::size_t kStepEntries = 2'000;
  static constexpr std::size_t kStepBytes = 4u << 20;

  JournalFollower(EventLog& log, Projector& projector, FollowerOptions options = {})
      : log_(log), projector_(projector), options_(std::move(options)) {}

  // Opens the reader at the projector's next(). REQUIRES: projector.open(). Codes: log-truncated (the log
  // ends before it), log-beginning-lost (the log begins behind it), and those of EventLog.
  Result<void> open();
  // Records of the journal that are gone at its beginning; the state goes on without them. 0: it is whole.
  Offset lost_beginning() const { return lost_beginning_; }
  // Waits at most `wait` for records, folds them, and writes the store if due. Returns the number of records
  // taken in. Codes: log-unavailable and disk-full (call again); all others, log-beginning-lost among them,
  // are final: this program must not read on.
  Result<std::size_t> step(Duration wait, Timestamp now);
  static bool may_go_on(const Error& error) { return may_retry(error); }
  // Compares what was read with the log as it is now and rebuilds what differs: a log that lost its tail and
  // grew again looks like any other to a reader that goes on (P9, P12). Codes: as step().
  Result<void> check_against_log();
  // The same of what was read since the last comparison, and a little before: cheap enough for now and then.
  // Nothing else shows a loss that others' records made good to the very offset up to which this reader had
  // read.
  Result<void> glance();
  // What a step, or a comparison, found gone since the last call, and nobody accepted beforehand.
  std::optional<Truncation> take_truncation() { return std::exchange(truncation_, std::nullopt); }
  // Writes the folded state now: for an orderly stop, and for a chain point of the newest record.
  Result<void> flush() { return projector_.flush(); }
  // Makes a waiting step, or else the next one, return at once. Thread-safe.
  void wake() { reader_->wake(); }

 private:
  Result<void> check_beginning();
  Result<std::size_t> act(Projector::Outcome outcome);
  Result<void> verify(const Error& why, bool claim_may_be_wrong);
  Result<void> rebuild(const Error& why, Offset not_after);

  EventLog& log_;
  Projector& projector_;
  const FollowerOptions options_;
  std::optional<Truncation> truncation_;
  Offset lost_beginning_ = 0;
  Offset compared_ = 0;  // up to here the log gave what was read
  std::unique_ptr<LogReader> reader_;
  std::vector<LogEntry> entries_;
};

// Reads the log again over the chain's window, or the end of it that begins at `from`. Returns the first
// `next` at which the log gives another rolling hash or has no record any more; nullopt if all are equal. (A
// log that is equal over the window is equal before: every record of an epoch holds the hash of the one
// before.) What the log has lost at its beginning is not compared. Codes: those of EventLog;
// offset-out-of-range where the log begins behind the chain's end.
Result<std::optional<Offset>> first_difference(EventLog& log, const Chain& chain, Offset from = 0);

}  // namespace berth::projections
