#include "controller/api/http/connection_counts.h"

#include <utility>

namespace berth::controller::api {

ConnectionCounts::Added ConnectionCounts::add(const std::string& address, std::function<void()> close) {
  Served gives_way;
  Id id = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto same = of_address_.find(address);
    const bool address_full = same != of_address_.end() && same->second.served >= per_address_max_;
    if (address_full || served_.size() >= max_) {
      const std::set<Id>& candidates = address_full ? same->second.unsigned_ones : unsigned_ones_;
      if (candidates.empty()) return {address_full ? Verdict::kTooManyFromAddress : Verdict::kTooMany};
      gives_way = take_out(*candidates.begin());
    }
    id = ++newest_;
    served_[id] = {address, std::move(close)};
    unsigned_ones_.insert(id);
    OfAddress& of_address = of_address_[address];
    ++of_address.served;
    of_address.unsigned_ones.insert(id);
  }
  if (gives_way.close) gives_way.close();
  return {Verdict::kServe, id};
}

bool ConnectionCounts::make_room() {
  Served gives_way;
  {
    const std::lock_guard lock(mutex_);
    if (unsigned_ones_.empty()) return false;
    gives_way = take_out(*unsigned_ones_.begin());
  }
  gives_way.close();
  return true;
}

void ConnectionCounts::keep(Id id) {
  const std::lock_guard lock(mutex_);
  if (unsigned_ones_.erase(id) > 0) of_address_.at(served_.at(id).address).unsigned_ones.erase(id);
}

void ConnectionCounts::remove(Id id) {
  const std::lock_guard lock(mutex_);
  if (served_.contains(id)) take_out(id);
}

// REQUIRES: it is served.
ConnectionCounts::Served ConnectionCounts::take_out(Id id) {
  auto node = served_.extract(id);
  unsigned_ones_.erase(id);
  const auto of_address = of_address_.find(node.mapped().address);
  of_address->second.unsigned_ones.erase(id);
  if (--of_address->second.served == 0) of_address_.erase(of_address);
  return std::move(node.mapped());
}

}  // namespace berth::controller::api
