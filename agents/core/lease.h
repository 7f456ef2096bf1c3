// Lease: how long the agent may run requeueable kernels (P24). Pure; times are CLOCK_BOOTTIME.
//
// A lease runs from the *sending* of the last acknowledged beat, by the agent's own clock, so that a slow ack
// never makes the lease longer than the leader thinks. A lease that is over stays over: only a new join
// begins another.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "events/base/clock.h"

namespace berth::agents {

class Lease {
 public:
  explicit Lease(Duration length) : length_(length) {}

  // Begins a new incarnation: no lease yet, counters begin at 1, acks of earlier beats count no more.
  void restart();
  // A snapshot let this incarnation in. If the first ack does not come within the length, the lease is over
  // (ADR 0050).
  void let_in(Timestamp now);
  // Returns the counter of a beat that is sent now.
  std::uint64_t sent(Timestamp now);
  // True if the ack moves the deadline. After the lease is over, no ack does.
  bool acked(std::uint64_t counter, Timestamp now);
  // Absent before the first ack.
  std::optional<Timestamp> until() const { return until_; }
  bool over(Timestamp now) const {
    return until_ ? now >= *until_ : first_ack_due_ && now >= *first_ack_due_;
  }

 private:
  struct Sent {
    std::uint64_t counter;
    Timestamp at;
  };
  Duration length_;
  std::uint64_t counter_ = 0;
  std::deque<Sent> in_flight_;
  std::optional<Timestamp> until_;
  std::optional<Timestamp> first_ack_due_;
};

}  // namespace berth::agents
