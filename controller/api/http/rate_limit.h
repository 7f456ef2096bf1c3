// RateLimit: one token bucket per key. Thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "events/base/clock.h"

namespace berth::controller::api {

class RateLimit {
 public:
  struct Limits {
    std::uint64_t per_second = 5'000;  // 0 = no limit
    std::uint64_t burst = 10'000;
  };
  explicit RateLimit(Limits limits) : limits_(limits) {}

  // Takes a token, or returns false. `now`: boottime, ns. Keys are of authenticated callers, so there are
  // few.
  bool take(const std::string& key, Timestamp now) {
    if (limits_.per_second == 0) return true;
    const std::lock_guard lock(mutex_);
    auto [entry, fresh] = buckets_.try_emplace(key);
    Bucket& bucket = entry->second;
    const std::uint64_t full = limits_.burst * kSecond;
    if (fresh)
      bucket.tokens = full;
    else
      bucket.tokens = std::min(full, bucket.tokens + static_cast<std::uint64_t>(
                                                         std::clamp<Duration>(now - bucket.at, 0, kMinute)) *
                                                         limits_.per_second);
    bucket.at = now;
    if (bucket.tokens < static_cast<std::uint64_t>(kSecond)) return false;
    bucket.tokens -= kSecond;
    return true;
  }

 private:
  struct Bucket {
    std::uint64_t tokens = 0;  // in billionths
    Timestamp at = 0;
  };
  const Limits limits_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace berth::controller::api
