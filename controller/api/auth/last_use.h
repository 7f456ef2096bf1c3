// LastUse: which uses of browser sessions and key pairs are worth an event: one in a while. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "events/base/clock.h"

namespace berth::controller::api {

class LastUse {
 public:
  explicit LastUse(Duration every) : every_(every) {}

  // Whether a use now is to be recorded; then it counts as recorded. `id`: of a credential that is in force,
  // so there are few. `recorded`: what the journal says.
  bool is_new(const std::string& id, Timestamp recorded, Timestamp now) {
    if (now - recorded < every_) return false;
    const std::lock_guard lock(mutex_);
    if (last_.size() >= kForgetAt)
      std::erase_if(last_, [&](const auto& entry) { return now - entry.second >= every_; });
    auto [entry, fresh] = last_.try_emplace(id, now);
    if (!fresh && now - entry->second < every_) return false;
    entry->second = now;
    return true;
  }

 private:
  static constexpr std::size_t kForgetAt = 4'096;
  const Duration every_;
  std::mutex mutex_;
  std::map<std::string, Timestamp> last_;
};

}  // namespace berth::controller::api
