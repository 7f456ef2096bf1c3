// SettingsWatch: looks again, once a minute, at what a log's streams are set to: a topic that was safe at the
// start may be changed at any time, and would then lose what was acknowledged. A thread of its own, since a
// look may take seconds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "events/base/result.h"

namespace berth::controller {

class SettingsWatch {
 public:
  // Blocks for some seconds at most. Code of what is unsafe: log-settings-unsafe; others say that nobody
  // answered, and change nothing.
  using Look = std::function<Result<void>()>;

  // Without a look there is nothing to watch.
  explicit SettingsWatch(Look look, std::chrono::milliseconds every = std::chrono::minutes(1))
      : look_(std::move(look)), every_(every) {}
  ~SettingsWatch() { stop(); }

  void start();
  void stop();  // waits for the look under way
  // What the last look found unsafe. Thread-safe.
  std::optional<Error> unsafe() const;

 private:
  void look();

  const Look look_;
  const std::chrono::milliseconds every_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::optional<Error> unsafe_;
  std::thread thread_;
};

}  // namespace berth::controller
