// OrderOutbox: orders that left and are not yet acknowledged by the log (P21, P22). Owned by a Leader.
//
// The router never gives up an order: one whose append failed is appended again. `routed` is the position up
// to which every order is acknowledged; a chain head records it, and the next leader routes again what comes
// after.
#pragma once

#include <map>

#include "controller/cell/config.h"
#include "controller/cell/ports.h"
#include "projections/tables/position.h"

namespace berth::controller {

class OrderOutbox {
 public:
  OrderOutbox(Tickets& tickets, ControllerCounters& counters, projections::Position routed)
      : tickets_(tickets), counters_(counters), routed_(routed) {}

  void send(const projections::Position& position, Append order, Outputs& out);
  // False: the ticket is of no order.
  [[nodiscard]] bool appended(const Appended& fate, Outputs& out);
  const projections::Position& routed() const { return routed_; }

 private:
  struct Sent {
    projections::Position position;
    Append append;
    bool acknowledged = false;
  };
  Tickets& tickets_;
  ControllerCounters& counters_;
  std::map<std::uint64_t, Sent> sent_;  // by ticket; removed once it and all earlier orders are acknowledged
  projections::Position routed_;
};

}  // namespace berth::controller
