#include "controller/api/auth/login_guard.h"

#include <algorithm>

namespace berth::controller::api {
namespace {

constexpr unsigned kDoublingsMax = 30;

Hash128 key_of(std::string_view kind, std::string_view what) {
  return blake2b_128(std::string(kind) + ":" + std::string(what));
}

Hash128 key_of_address(const std::string& address) { return key_of("address", address); }
Hash128 key_of_user(const std::string& user) { return key_of("user", user); }
Hash128 key_of_known(const std::string& address, const std::string& user) {
  return key_of("known", address + " " + user);
}

}  // namespace

Duration LoginGuard::take(const std::string& address, const std::string& user, Timestamp now) {
  const std::lock_guard lock(mutex_);
  if (const Hash128 known = key_of_known(address, user); entries_.contains(known)) {
    const Duration left = wait(known, now);
    if (left == 0) count(known, limits_.free_by_user, now);
    return left;
  }
  const Duration left = std::max(wait(key_of_address(address), now), wait(key_of_user(user), now));
  if (left > 0) return left;
  count(key_of_address(address), limits_.free_by_address, now);
  count(key_of_user(user), limits_.free_by_user, now);
  return 0;
}

// The address keeps its other guesses: an account of one's own is no way to guess at others for ever.
void LoginGuard::succeeded(const std::string& address, const std::string& user, Timestamp now) {
  const std::lock_guard lock(mutex_);
  entries_.erase(key_of_user(user));
  const Hash128 known = key_of_known(address, user);
  if (!entries_.contains(known)) uncount(key_of_address(address));
  make_room(now);
  entries_[known] = {0, 0, now};
}

void LoginGuard::give_back(const std::string& address, const std::string& user) {
  const std::lock_guard lock(mutex_);
  const Hash128 known = key_of_known(address, user);
  if (entries_.contains(known)) return uncount(known);
  uncount(key_of_address(address));
  uncount(key_of_user(user));
}

bool LoginGuard::is_known(const std::string& address, const std::string& user) const {
  const std::lock_guard lock(mutex_);
  return entries_.contains(key_of_known(address, user));
}

void LoginGuard::uncount(const Hash128& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  found->second.next = 0;
  if (found->second.guesses > 0) --found->second.guesses;
}

std::size_t LoginGuard::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

Duration LoginGuard::wait(const Hash128& key, Timestamp now) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? 0 : std::max<Duration>(0, found->second.next - now);
}

void LoginGuard::count(const Hash128& key, unsigned free, Timestamp now) {
  if (!entries_.contains(key)) make_room(now);
  Entry& entry = entries_[key];
  if (now - entry.at > limits_.forgotten_after) entry = {};
  entry.at = now;
  if (++entry.guesses < free) return;
  const unsigned doublings = std::min(entry.guesses - free, kDoublingsMax);
  entry.next = now + std::min(limits_.wait_max, kSecond << doublings);
}

void LoginGuard::make_room(Timestamp now) {
  if (entries_.size() < limits_.entries_max) return;
  std::erase_if(entries_, [&](const auto& entry) { return now - entry.second.at > limits_.forgotten_after; });
  if (entries_.size() < limits_.entries_max) return;
  entries_.erase(std::min_element(entries_.begin(), entries_.end(),
                                  [](const auto& a, const auto& b) { return a.second.at < b.second.at; }));
}

}  // namespace berth::controller::api
