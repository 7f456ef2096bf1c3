// Health: what a node's threads tell of it, and what /readyz makes of that (P28).
//
// No clock, no I/O: times are boottime, told with each fact. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "controller/api/api_context.h"
#include "events/log/event_log.h"

namespace berth::controller {

struct HealthLimits {
  Duration leader = 3 * kSecond;       // without a heartbeat; or with a record in the log that is not folded
  Duration decision = 5 * kSecond;     // D: with an input in its stream that is not taken
  Duration own_void = 30 * kSecond;    // after a void record of the current epoch
  Duration log_silent = 10 * kSecond;  // without an answer of the log
};

class Health {
 public:
  explicit Health(HealthLimits limits = {}) : limits_(limits) {}

  // A heartbeat of the current epoch was heard last at this time; 0: never.
  void heartbeat(Timestamp heard);
  // The journal is folded up to here.
  void folded(Offset next);
  // A record of the current epoch was void: its leader believes in what nobody applies.
  void own_void(Offset offset, const std::string& why, Timestamp now);
  // A new epoch. `another`: of another controller.
  void elected(bool another);
  // The log answered: the journal ends here. Or it did not.
  void journal_ends(Offset end, Timestamp now);
  // As the log said last; 0: the journal is whole, or nobody has asked yet.
  void journal_begins(Offset begin) { begin_ = begin; }
  Offset journal_begin() const { return begin_; }
  void log_fails(const Error& error);
  // The journal is folded up to the end that the log told last, and told one.
  bool has_caught_up() const;
  // Records of the journal that are not folded, as the log said last.
  std::uint64_t lag() const;
  // An input of the partition lies at `next`, the first that is not taken, since then; nullopt: none does.
  void input_waits(const Partition& partition, Offset next, std::optional<Timestamp> since);
  // What the leader's appends and the store's writes come to: an error stays until one succeeds, of an append
  // until the next epoch at most. What fails while another leads was appended before.
  void append_result(Stream stream, const AppendResult& result);
  // The error of an append after which the log is broken (is_log_broken()); nullopt: the log is whole.
  std::optional<Error> broken() const;
  void store_result(const Result<void>& result);

  std::vector<ReadyCheck> checks(Timestamp now) const;

 private:
  struct Wait {
    Offset next = 0;
    Timestamp since = 0;
  };
  ReadyCheck log_check(Timestamp now) const;
  ReadyCheck projection_check(Timestamp now) const;
  ReadyCheck leader_check(Timestamp now) const;
  ReadyCheck void_check(Timestamp now) const;
  ReadyCheck decision_check(Timestamp now) const;

  const HealthLimits limits_;
  mutable std::mutex mutex_;
  Timestamp heartbeat_ = 0;
  Offset next_ = 0;
  Offset end_ = 0;
  std::atomic<Offset> begin_ = 0;
  Timestamp answered_ = 0;  // 0: the log has not answered yet
  Offset wanted_ = 0;       // an end of the journal that is not folded yet; 0: none is known
  Timestamp wanted_since_ = 0;
  std::optional<Error> log_error_, store_error_, broken_;
  bool another_leads_ = false;
  std::map<Stream, Error> append_errors_;   // of streams whose last append failed
  std::atomic<bool> append_fails_ = false;  // there are any: appends that succeed need no lock
  std::string void_;                        // the last void record of the current epoch
  Timestamp void_at_ = 0;
  std::map<Partition, Wait> waits_;
};

}  // namespace berth::controller
