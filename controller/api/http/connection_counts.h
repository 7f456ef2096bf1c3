// ConnectionCounts: how many connections there are, in all and from each address, whether one more is served,
// and which one gives way to it. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace berth::controller::api {

class ConnectionCounts {
 public:
  using Id = std::uint64_t;  // from 1 on, in order of arrival
  enum class Verdict {
    kServe,
    kTooMany,             // in all
    kTooManyFromAddress,  // others are still served
  };
  struct Added {
    Verdict verdict = Verdict::kServe;
    Id id = 0;  // of one that is served
  };

  // REQUIRES: both at least 1.
  ConnectionCounts(std::size_t max, std::size_t per_address_max)
      : max_(max), per_address_max_(per_address_max) {}

  // Counts a connection from `address` if it is to be served; remove() follows when it has closed. Where
  // there is no room, another one gives way, so that idle ones shut nobody out: the oldest that has signed
  // nothing yet, else the longest idle one of the person who has most (P33). It counts no more, and its
  // `close` is called. `close` must not call this object.
  Added add(const std::string& address, std::function<void()> close);
  // One connection gives way as in add(), and frees its descriptor. False: none does.
  bool make_room();
  // A request on it is answered: meanwhile it does not give way, if somebody has signed. False: it gave way.
  bool busy(Id id);
  // The request was signed by this person.
  void keep(Id id, const std::string& person);
  // It waits for its next request.
  void idle(Id id);
  void remove(Id id);

 private:
  struct Served {
    std::string address;
    std::function<void()> close;
    std::string person;            // who signed last; empty: nobody did
    std::uint64_t idle_since = 0;  // of `turn_`; 0: a request is under way, or nobody signed
  };
  struct OfAddress {
    std::size_t served = 0;  // never 0 in the map
    std::set<Id> unsigned_ones;
  };

  Served take_out(Id id);
  // Of those from the address, or of all; 0: none does. While the lock is held.
  Id who_gives_way(const std::string* address) const;

  const std::size_t max_, per_address_max_;
  std::mutex mutex_;
  Id newest_ = 0;
  std::uint64_t turn_ = 0;  // counts idle()
  std::map<Id, Served> served_;
  std::set<Id> unsigned_ones_;
  std::map<std::string, OfAddress> of_address_;
};

}  // namespace berth::controller::api
