// JournalFollower: reads the journal into a Projector. When the two disagree it reads the log again and goes
// by what the log says (P12).
//
// The runtime calls step() in a loop on a thread of its own; the simulator calls it with wait 0 when the log
// has news. Other threads may call wake(), and what the projector's observer guards.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "events/log/event_log.h"
#include "projections/store/projector.h"

namespace berth::projections {

class JournalFollower {
 public:
  static constexpr std::size_t kStepEntries = 2'000;
  static constexpr std::size_t kStepBytes = 4u << 20;

  JournalFollower(EventLog& log, Projector& projector) : log_(log), projector_(projector) {}

  // Opens the reader where the projector stands. REQUIRES: projector.open(). Codes: those of
  // EventLog::open_reader.
  Result<void> open();
  // Waits at most `wait` for records, folds them, writes what is due. Returns the number of records taken in.
  // Codes to call again on: log-unavailable, disk-full. All others are final: this program must not read on.
  Result<std::size_t> step(Duration wait, Timestamp now);
  static bool may_go_on(const Error& error) {
    return error.code == "log-unavailable" || error.code == "disk-full";
  }
  // Compares what was read with the log as it is now, and rebuilds where they differ. A reader that goes on
  // cannot tell a log that lost its tail and grew again from any other (P9, P12). Codes: as step().
  Result<void> check_against_log();
  // Writes what is folded. For an orderly stop.
  Result<void> flush();
  // Makes a waiting or the next step return at once. Thread-safe.
  void wake() { reader_->wake(); }

 private:
  Result<std::size_t> act(Projector::Outcome outcome);
  Result<void> verify(const Error& why, bool claim_may_be_wrong);
  Result<void> rebuild(const Error& why, Offset not_after);

  EventLog& log_;
  Projector& projector_;
  std::unique_ptr<LogReader> reader_;
  std::vector<LogEntry> entries_;
};

// Reads the log again over the chain's window. Returns the first `next` at which the log gives another
// rolling hash or has no record any more; nullopt when all are equal. Equal over the window means equal
// before it, since every record of an epoch holds the hash of the record before. Codes: those of EventLog.
Result<std::optional<Offset>> first_difference(EventLog& log, const Chain& chain);

}  // namespace berth::projections
