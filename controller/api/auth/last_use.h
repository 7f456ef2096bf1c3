// LastUse: which uses of browser sessions and key pairs are worth an event: one in five minutes. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "events/base/clock.h"

namespace berth::controller::api {

inline constexpr Duration kUseEvery = 5 * kMinute;

class LastUse {
 public:
  // Whether a use now is to be recorded; then it counts as recorded. `id`: of a credential that is in force,
  // so there are few. `recorded`: what the journal says.
  bool is_new(const std::string& id, Timestamp recorded, Timestamp now) {
    if (now - recorded < kUseEvery) return false;
    const std::lock_guard lock(mutex_);
    if (last_.size() >= kForgetAt)
      std::erase_if(last_, [now](const auto& entry) { return now - entry.second >= kUseEvery; });
    auto [entry, fresh] = last_.try_emplace(id, now);
    if (!fresh && now - entry->second < kUseEvery) return false;
    entry->second = now;
    return true;
  }

 private:
  static constexpr std::size_t kForgetAt = 4'096;
  std::mutex mutex_;
  std::map<std::string, Timestamp> last_;
};

}  // namespace berth::controller::api
