// BeatAcks: answers to agents' beats (P24). A beat keeps its agent's lease; the acks of a flush are one
// append. Owned by a Leader.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "controller/cell/config.h"
#include "controller/cell/leader/clock_guard.h"
#include "controller/cell/leader/lease_book.h"
#include "controller/cell/ports.h"
#include "events/codec/signing.h"
#include "events/schema/v1/report.pb.h"

namespace berth::controller {

class BeatAcks {
 public:
  BeatAcks(const ControllerConfig& config, Verifier& verifier, ControllerCounters& counters,
           const Uuid& nonce)
      : config_(config), verifier_(verifier), counters_(counters), nonce_(nonce) {}

  // A payload of stream `health`: a beat, or acks. `snapshot_for`: the agent is added if it obeyed an order
  // that the journal does not know of (a truncated tail). Returns true for acks of its own: the leader's
  // reads of the stream are alive.
  bool read(const std::string& payload, const projections::State& state, const Instant& now,
            LeaseBook& leases, ClockGuard& clock, std::set<std::string>& snapshot_for);
  bool empty() const { return acks_.empty(); }
  // Appends the acks, also if there are none: the leader knows that its reads of `health` work when its own
  // acks come back.
  void send(const projections::State& state, Outputs& out);

 private:
  bool is_own(const std::string& payload) const;

  const ControllerConfig& config_;
  Verifier& verifier_;
  ControllerCounters& counters_;
  Uuid nonce_;
  std::vector<v1::Ack> acks_;
};

}  // namespace berth::controller
