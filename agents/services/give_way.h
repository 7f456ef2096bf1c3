// GiveWay: work that waits for whoever asked for it. Where there is no room for more, the work that has
// waited longest gives way, so that nobody who asks and then takes or sends nothing shuts out all others.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace berth::agents {

// Thread-safe.
class GiveWay {
 public:
  using Id = std::uint64_t;  // from 1 on, in order of arrival
  using Clock = std::chrono::steady_clock;

  // What has waited for less than `patience` does not give way.
  explicit GiveWay(Clock::duration patience) : patience_(patience) {}

  // `end` is called at most once, within make_room(); remove() may come too late to keep it from that.
  Id add(std::function<void()> end) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(++newest_, Waiting{std::move(end), Clock::now()});
    return newest_;
  }
  // It waits no more.
  void remove(Id id) {
    const std::lock_guard lock(mutex_);
    waiting_.erase(id);
  }
  // False: nothing has waited for so long.
  bool make_room() {
    std::function<void()> end;
    {
      const std::lock_guard lock(mutex_);
      const auto oldest = waiting_.begin();
      if (oldest == waiting_.end() || Clock::now() - oldest->second.since < patience_) return false;
      end = std::move(oldest->second.end);
      waiting_.erase(oldest);
    }
    end();
    return true;
  }

 private:
  struct Waiting {
    std::function<void()> end;
    Clock::time_point since;
  };
  const Clock::duration patience_;
  std::mutex mutex_;
  Id newest_ = 0;                  // guarded
  std::map<Id, Waiting> waiting_;  // guarded
};

}  // namespace berth::agents
