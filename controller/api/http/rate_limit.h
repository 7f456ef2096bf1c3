// RateLimit: of each key, the requests and the bytes a second. Thread-safe.
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
    std::uint32_t per_second = 5'000;  // 0 = no limit
    std::uint32_t burst = 10'000;
    std::uint32_t bytes_per_second = 32u << 20;  // 0 = no limit
    std::uint32_t bytes_burst = 256u << 20;
  };
  explicit RateLimit(Limits limits) : limits_(limits) {}

  // Takes a request, or returns false: there is none left, or bytes are owed. `now`: boottime, ns. Keys are
  // of authenticated callers, so there are few.
  bool take(const std::string& key, Timestamp now) {
    const std::lock_guard lock(mutex_);
    auto [entry, fresh] = buckets_.try_emplace(
        key, Buckets{{limits_.burst * kSecond, now}, {limits_.bytes_burst * kSecond, now}});
    Bucket& requests = entry->second.requests;
    Bucket& bytes = entry->second.bytes;
    requests.fill(limits_.per_second, limits_.burst, now);
    bytes.fill(limits_.bytes_per_second, limits_.bytes_burst, now);
    if (limits_.bytes_per_second != 0 && bytes.left <= 0) return false;
    if (limits_.per_second == 0) return true;
    if (requests.left < kSecond) return false;
    requests.left -= kSecond;
    return true;
  }

  // Bytes of a request's body or of its reply. They are owed if there are too few left, at most one burst.
  void spend(const std::string& key, std::size_t count) {
    const std::lock_guard lock(mutex_);
    const auto entry = buckets_.find(key);
    if (entry == buckets_.end()) return;
    const std::int64_t burst = limits_.bytes_burst * kSecond;
    const auto spent = std::min<std::int64_t>(
        burst, static_cast<std::int64_t>(std::min<std::size_t>(count, 1u << 30)) * kSecond);
    entry->second.bytes.left = std::max(-burst, entry->second.bytes.left - spent);
  }

 private:
  struct Bucket {
    std::int64_t left = 0;  // in billionths
    Timestamp at = 0;

    void fill(std::uint32_t per_second, std::uint32_t burst, Timestamp now) {
      left = std::min(burst * kSecond, left + std::clamp<Duration>(now - at, 0, kMinute) * per_second);
      at = now;
    }
  };
  struct Buckets {
    Bucket requests, bytes;
  };
  const Limits limits_;
  std::mutex mutex_;
  std::map<std::string, Buckets> buckets_;
};

}  // namespace berth::controller::api
