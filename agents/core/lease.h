// Lease: how long the agent may run requeueable kernels (P24). Pure; times are CLOCK_BOOTTIME.
//
// A lease runs from the *sending* of the last acknowledged beat, by the agent's own clock, so that a slow ack
// never makes the lease longer than the leader thinks. Without acks the agent is on its own long before that:
// it joins anew after its patience, and its kernels run on until the lease ends or a new ack prolongs it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "events/base/clock.h"

namespace berth::agents {

class Lease {
 public:
  // `patience`: without an ack, until the agent joins anew. `longest`: a lease, whatever an ack grants.
  Lease(Duration patience, Duration longest) : patience_(patience), longest_(longest) {}

  // Begins a new incarnation: no lease yet, counters begin at 1, acks of earlier beats count no more.
  void restart();
  // A snapshot let this incarnation in. The first ack is due within the patience (ADR 0050).
  void let_in(Timestamp now);
  // Returns the counter of a beat that is sent now.
  std::uint64_t sent(Timestamp now);
  // True if the ack moves the deadline. After the patience is over, no ack does. `granted`: by the ack.
  bool acked(std::uint64_t counter, Duration granted, Timestamp now);
  // When the lease of the kernels ends; absent before the first ack.
  std::optional<Timestamp> until() const { return until_; }
  // Whether acks have been missing for longer than the patience.
  bool unheard(Timestamp now) const {
    return heard_until_ ? now >= *heard_until_ : first_ack_due_ && now >= *first_ack_due_;
  }

 private:
  struct Sent {
    std::uint64_t counter;
    Timestamp at;
  };
  Duration patience_;
  Duration longest_;
  std::uint64_t counter_ = 0;
  std::deque<Sent> in_flight_;
  std::optional<Timestamp> until_;
  std::optional<Timestamp> heard_until_;  // absent before the first ack
  std::optional<Timestamp> first_ack_due_;
};

}  // namespace berth::agents
