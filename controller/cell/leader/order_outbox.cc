#include "controller/cell/leader/order_outbox.h"

#include <algorithm>

namespace berth::controller {

using projections::Position;

namespace {

constexpr Duration kRetryAfter = kSecond;

}  // namespace

void OrderOutbox::send(const Position& position, Append order, Outputs& out) {
  const auto ticket = order.ticket = tickets_.next();
  ++counters_.orders;
  out.appends.push_back(order);
  sent_.emplace(ticket, Sent{position, std::move(order)});
}

bool OrderOutbox::appended(const Appended& fate, const Instant& now, Outputs& out) {
  const auto it = sent_.find(fate.ticket);
  if (it == sent_.end()) return false;
  if (fate.result.state == AppendState::kDurable) {
    acknowledged(it->second.position);
    sent_.erase(it);
    return true;
  }
  it->second.failed = now.boottime;
  out.log.push_back({LogLine::Level::kWarning, "an order for " + it->second.append.key +
                                                   " is appended again: " + to_string(fate.result.error)});
  return true;
}

void OrderOutbox::retry(const Instant& now, Outputs& out) {
  for (auto& [ticket, sent] : sent_) {
    if (sent.failed == 0 || now.boottime < sent.failed + kRetryAfter) continue;
    sent.failed = 0;
    out.appends.push_back(sent.append);
  }
}

void OrderOutbox::acknowledged(const Position& position) {
  owed_.erase(owed_.find(position));
  acknowledged_.insert(position);
  while (!acknowledged_.empty() && (owed_.empty() || *acknowledged_.begin() < *owed_.begin())) {
    routed_ = std::max(routed_, *acknowledged_.begin());
    acknowledged_.erase(acknowledged_.begin());
  }
}

}  // namespace berth::controller
