// OrderOutbox: orders that exist and are not yet acknowledged by the log (P21, P22). Owned by a Leader.
//
// The outbox never gives up an order: one whose append failed is appended again after a second. `routed` is a
// position up to which every order is acknowledged. A chain head records it, and the next leader sends a
// snapshot to each agent whose last order is newer.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "controller/cell/config.h"
#include "controller/cell/ports.h"
#include "projections/tables/position.h"

namespace berth::controller {

class OrderOutbox {
 public:
  OrderOutbox(Tickets& tickets, ControllerCounters& counters, projections::Position routed)
      : tickets_(tickets), counters_(counters), routed_(routed) {}

  // There is an order at this position: `routed` stays below it until it is acknowledged. Several may share a
  // position.
  void owe(const projections::Position& position) { owed_.insert(position); }
  // REQUIRES: it is owed.
  void send(const projections::Position& position, Append order, Outputs& out);
  // False: the ticket is of no order.
  [[nodiscard]] bool appended(const Appended& fate, const Instant& now, Outputs& out);
  // Appends again what failed, oldest first.
  void retry(const Instant& now, Outputs& out);
  const projections::Position& routed() const { return routed_; }

 private:
  struct Sent {
    projections::Position position;
    Append append;
    Timestamp failed = 0;  // boottime; 0: in flight
  };
  void acknowledged(const projections::Position& position);

  Tickets& tickets_;
  ControllerCounters& counters_;
  std::map<std::uint64_t, Sent> sent_;            // by ticket
  std::multiset<projections::Position> owed_;     // sent or not
  std::set<projections::Position> acknowledged_;  // behind one that is owed
  projections::Position routed_;
};

}  // namespace berth::controller
