#include "controller/runtime/log/settings_watch.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

namespace berth::controller {
namespace {

constexpr Code kUnsafe = "log-settings-unsafe";

}  // namespace

void SettingsWatch::start() {
  if (!look_) return;
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "log-settings");
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, every_, [this] { return stopping_; })) {
      lock.unlock();
      look();
      lock.lock();
    }
  });
}

void SettingsWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::optional<Error> SettingsWatch::unsafe() const {
  const std::lock_guard lock(mutex_);
  return unsafe_;
}

void SettingsWatch::look() {
  const auto found = look_();
  if (!found && found.error().code != kUnsafe) return;
  std::optional<Error> unsafe;
  if (!found) unsafe = found.error();
  const std::lock_guard lock(mutex_);
  if (unsafe && !unsafe_) spdlog::error("{}", to_string(*unsafe));
  if (!unsafe && unsafe_) spdlog::info("the log's settings are safe again");
  unsafe_ = std::move(unsafe);
}

}  // namespace berth::controller
