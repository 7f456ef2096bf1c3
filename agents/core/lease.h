// Lease: how long the cluster may count on this agent (P24). Pure; times are CLOCK_BOOTTIME.
//
// It runs from the *sending* of the last acknowledged beat, by the agent's own note of when it sent it, so a
// slow answer never makes it longer than the leader thinks. Over is over: only a new join begins another.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "events/base/clock.h"

namespace berth::agents {

class Lease {
 public:
  explicit Lease(Duration length) : length_(length) {}

  // A new incarnation: no lease yet, counters begin at 1, what is in flight counts no more.
  void restart();
  // A snapshot let this incarnation in: its first ack is due within the length, or it is over like a lease
  // (ADR 0050).
  void let_in(Timestamp now);
  // The counter of a beat sent now.
  std::uint64_t sent(Timestamp now);
  // True when the ack moved the deadline. An ack that finds the lease over moves nothing.
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
