#include "controller/cell/leader/order_outbox.h"

#include <algorithm>

namespace berth::controller {

void OrderOutbox::send(const projections::Position& position, Append order, Outputs& out) {
  const auto ticket = order.ticket = tickets_.next();
  ++counters_.orders;
  out.appends.push_back(order);
  sent_.emplace(ticket, Sent{position, std::move(order), false});
}

bool OrderOutbox::appended(const Appended& fate, Outputs& out) {
  const auto it = sent_.find(fate.ticket);
  if (it == sent_.end()) return false;
  if (fate.result.state != AppendState::kDurable) {
    out.appends.push_back(it->second.append);
    return true;
  }
  it->second.acknowledged = true;
  while (!sent_.empty() && sent_.begin()->second.acknowledged) {
    routed_ = std::max(routed_, sent_.begin()->second.position);
    sent_.erase(sent_.begin());
  }
  return true;
}

}  // namespace berth::controller
