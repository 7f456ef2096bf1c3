// LoginGuard: who guesses passwords waits longer and longer, by address and by user. Nobody is locked out: a
// wait ends, a user at an address where that user signed in before waits for guesses at this user from there
// alone, and key pairs are not concerned. Thread-safe; memory is bounded.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "events/base/clock.h"
#include "events/base/hash.h"

namespace berth::controller::api {

class LoginGuard {
 public:
  struct Limits {
    unsigned free_by_user = 5;      // wrong guesses before the first wait, which is of a second
    unsigned free_by_address = 20;  // people share an address
    Duration wait_max = 30 * kSecond;
    Duration forgotten_after = 15 * kMinute;  // without another guess
    std::size_t entries_max = 8'192;          // then the oldest is forgotten
  };
  LoginGuard() : LoginGuard(Limits{}) {}
  explicit LoginGuard(Limits limits) : limits_(limits) {}

  // Takes a try, which counts as a wrong guess until succeeded(); or returns how long to wait first, and
  // counts nothing. `now`: boottime.
  Duration take(const std::string& address, const std::string& user, Timestamp now);
  void succeeded(const std::string& address, const std::string& user, Timestamp now);
  // The try was taken and nothing was tried: it is no guess.
  void give_back(const std::string& address, const std::string& user);
  // Whether the user signed in from that address before.
  bool is_known(const std::string& address, const std::string& user) const;
  std::size_t size() const;

 private:
  struct Entry {
    unsigned guesses = 0;
    Timestamp next = 0;  // no try before
    Timestamp at = 0;    // of the last one
  };
  using Entries = std::map<Hash128, Entry>;
  Duration wait(const Hash128& key, Timestamp now) const;
  void count(const Hash128& key, unsigned free, Timestamp now);
  void uncount(const Hash128& key);
  void make_room(Timestamp now);

  const Limits limits_;
  mutable std::mutex mutex_;
  Entries entries_;  // of addresses, users, and of users at an address where they signed in
};

}  // namespace berth::controller::api
