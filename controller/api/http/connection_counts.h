// ConnectionCounts: how many connections there are, in all and from each address, and whether one more is
// served. Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace berth::controller::api {

class ConnectionCounts {
 public:
  enum class Verdict {
    kServe,
    kTooMany,             // in all
    kTooManyFromAddress,  // others are still served
  };

  // REQUIRES: both at least 1.
  ConnectionCounts(std::size_t max, std::size_t per_address_max)
      : max_(max), per_address_max_(per_address_max) {}

  // Counts a connection from `address` if it is to be served; then remove() follows when it has closed.
  Verdict add(const std::string& address) {
    const std::lock_guard lock(mutex_);
    if (served_ >= max_) return Verdict::kTooMany;
    std::size_t& of_address = of_address_[address];
    if (of_address >= per_address_max_) return Verdict::kTooManyFromAddress;
    ++of_address;
    ++served_;
    return Verdict::kServe;
  }

  void remove(const std::string& address) {
    const std::lock_guard lock(mutex_);
    const auto found = of_address_.find(address);
    if (--found->second == 0) of_address_.erase(found);
    --served_;
  }

 private:
  const std::size_t max_, per_address_max_;
  std::mutex mutex_;
  std::size_t served_ = 0;
  std::map<std::string, std::size_t> of_address_;  // none is 0
};

}  // namespace berth::controller::api
