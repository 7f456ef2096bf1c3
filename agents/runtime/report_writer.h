// ReportWriter: appends an agent's reports in order and never gives one up (P22).
//
// If an append fails or its outcome is unknown, that report and all after it are appended again in their
// order, so that no fact overtakes its join. Repeats change nothing: facts are idempotent.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "agents/runtime/strand.h"
#include "events/base/clock.h"
#include "events/codec/signing.h"
#include "events/log/event_log.h"
#include "events/schema/v1/report.pb.h"

namespace berth::agents {

// All calls on the strand.
class ReportWriter {
 public:
  ReportWriter(EventLog& log, const Signer& signer, std::string agent, std::weak_ptr<Strand> strand);

  void write(const v1::Report& report);
  // Many reports are under way: new facts had better wait and be merged.
  bool full() const { return entries_.size() >= kInFlightMax; }
  bool idle() const { return entries_.empty(); }
  // Appends the failed reports again, after a pause.
  void tick(Timestamp now);
  std::uint64_t failures() const { return failures_; }

 private:
  static constexpr std::size_t kInFlightMax = 32;
  enum class State : std::uint8_t { kWaiting, kSent, kDurable, kFailed };
  struct Entry {
    std::uint64_t number;
    std::string incarnation;
    bool join;
    std::string payload;
    State state = State::kWaiting;
  };

  void send(Entry& entry);
  void done(std::uint64_t number, AppendState state);

  EventLog& log_;
  const Signer& signer_;
  std::string agent_;
  Partition partition_;
  std::weak_ptr<Strand> strand_;
  std::deque<Entry> entries_;
  std::uint64_t next_number_ = 0;
  std::size_t outstanding_ = 0;
  std::uint64_t failures_ = 0;
  bool failed_ = false;     // since the last retry
  Timestamp retry_at_ = 0;  // 0: not yet set
};

}  // namespace berth::agents
