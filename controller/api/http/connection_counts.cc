#include "controller/api/http/connection_counts.h"

#include <cstdint>
#include <string_view>
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
      const Id other = who_gives_way(address_full ? &address : nullptr);
      if (other == 0) return {address_full ? Verdict::kTooManyFromAddress : Verdict::kTooMany};
      gives_way = take_out(other);
    }
    id = ++newest_;
    served_[id] = {address, std::move(close), {}, 0};
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
    const Id other = who_gives_way(nullptr);
    if (other == 0) return false;
    gives_way = take_out(other);
  }
  gives_way.close();
  return true;
}

bool ConnectionCounts::busy(Id id) {
  const std::lock_guard lock(mutex_);
  const auto served = served_.find(id);
  if (served == served_.end()) return false;
  served->second.idle_since = 0;
  return true;
}

void ConnectionCounts::keep(Id id, const std::string& person) {
  const std::lock_guard lock(mutex_);
  const auto served = served_.find(id);
  if (served == served_.end()) return;  // it gave way a moment ago
  if (unsigned_ones_.erase(id) > 0) of_address_.at(served->second.address).unsigned_ones.erase(id);
  served->second.person = person;
  served->second.idle_since = 0;
}

void ConnectionCounts::idle(Id id) {
  const std::lock_guard lock(mutex_);
  const auto served = served_.find(id);
  if (served != served_.end() && !served->second.person.empty()) served->second.idle_since = ++turn_;
}

// A walk over all, where there is no room and nobody unsigned.
ConnectionCounts::Id ConnectionCounts::who_gives_way(const std::string* address) const {
  const std::set<Id>& strangers =
      address != nullptr ? of_address_.at(*address).unsigned_ones : unsigned_ones_;
  if (!strangers.empty()) return *strangers.begin();
  struct OfPerson {
    std::size_t served = 0;
    Id id = 0;
    std::uint64_t idle_since = UINT64_MAX;
  };
  std::map<std::string_view, OfPerson> persons;
  for (const auto& [id, one] : served_) {
    if (address != nullptr && one.address != *address) continue;
    OfPerson& of = persons[one.person];
    ++of.served;
    if (one.idle_since != 0 && one.idle_since < of.idle_since) of.id = id, of.idle_since = one.idle_since;
  }
  const OfPerson* most = nullptr;
  for (const auto& [person, of] : persons)  // whoever has one alone keeps it
    if (of.id != 0 && of.served > 1 && (most == nullptr || of.served > most->served)) most = &of;
  return most == nullptr ? 0 : most->id;
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
