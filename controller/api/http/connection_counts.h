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
  // there is no room, the oldest connection that has signed nothing yet gives way, so that idle ones shut
  // nobody out: it counts no more, and its `close` is called. `close` must not call this object.
  Added add(const std::string& address, std::function<void()> close);
  // The oldest connection that has signed nothing is closed, and frees its descriptor. False: all have
  // signed.
  bool make_room();
  // A request on it was signed by a key: it does not give way any more.
  void keep(Id id);
  void remove(Id id);

 private:
  struct Served {
    std::string address;
    std::function<void()> close;
  };
  struct OfAddress {
    std::size_t served = 0;  // never 0 in the map
    std::set<Id> unsigned_ones;
  };

  Served take_out(Id id);

  const std::size_t max_, per_address_max_;
  std::mutex mutex_;
  Id newest_ = 0;
  std::map<Id, Served> served_;
  std::set<Id> unsigned_ones_;
  std::map<std::string, OfAddress> of_address_;
};

}  // namespace berth::controller::api
