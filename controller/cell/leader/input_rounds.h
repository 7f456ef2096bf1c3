// InputRounds: decides about requests and reports, oldest first (P1, P7, P13). Owned by a Leader.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "controller/cell/leader/clock_guard.h"
#include "controller/cell/leader/decider.h"
#include "controller/cell/leader/input_queue.h"
#include "events/codec/signing.h"

namespace berth::controller {

class InputRounds {
 public:
  // `snapshot_for`: agents that are to get a snapshot; what is decided here adds to them.
  InputRounds(const ControllerConfig& config, const projections::State& state, Verifier& verifier,
              ControllerCounters& counters, ClockGuard& clock, Decider& decider,
              std::set<std::string>& snapshot_for)
      : config_(config),
        state_(state),
        verifier_(verifier),
        counters_(counters),
        clock_(clock),
        decider_(decider),
        snapshot_for_(snapshot_for) {}

  // A bounded number of inputs.
  void run(InputQueue& inputs, const Instant& now, Outputs& out);

 private:
  void decide(const LogEntry& entry, const Instant& now, Outputs& out);
  void decide_request_entry(const LogEntry& entry, const Instant& now, Outputs& out);
  void decide_report_entry(const LogEntry& entry, const Instant& now, Outputs& out);
  void decide_quarantined(const LogEntry& entry, std::uint32_t failures, const Instant& now, Outputs& out);
  void give_up(const LogEntry& entry, const Instant& now);
  void rewind(const Partition& partition, Offset to, const Instant& now, Outputs& out);
  void want_facts_again(std::uint32_t partition);

  const ControllerConfig& config_;
  const projections::State& state_;
  Verifier& verifier_;
  ControllerCounters& counters_;
  ClockGuard& clock_;
  Decider& decider_;
  std::set<std::string>& snapshot_for_;
};

}  // namespace berth::controller
