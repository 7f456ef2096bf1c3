#include "controller/runtime/log/log_scrub.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "events/log/log_errors.h"

namespace berth::controller {
namespace {

constexpr Partition kJournal{Stream::kJournal, 0};
constexpr std::size_t kEntries = 10'000, kBytes = 1u << 20;
constexpr Duration kAwayFor = 10 * kSecond;  // a log that is away is asked again then

}  // namespace

void LogScrub::start() {
  thread_ = std::thread([this] { run(); });
}

void LogScrub::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

LogScrub::Found LogScrub::found() const {
  const std::lock_guard lock(mutex_);
  return found_;
}

void LogScrub::run() {
  pthread_setname_np(pthread_self(), "log-scrub");
  if (!pause(times_.first)) return;
  while (walk() && pause(times_.every)) {}
}

bool LogScrub::pause(Duration time) {
  std::unique_lock lock(mutex_);
  return !stopped_.wait_for(lock, std::chrono::nanoseconds(time), [this] { return stopping_; });
}

void LogScrub::tell(std::optional<Error> damage) {
  if (damage) spdlog::error("the journal is damaged: {}", to_string(*damage));
  const std::lock_guard lock(mutex_);
  if (!damage) found_.whole_at = clock_.now().boottime;
  found_.damage = std::move(damage);
}

bool LogScrub::walk() {
  std::unique_ptr<LogReader> reader;
  Offset next = 0, end = 0;
  std::vector<LogEntry> entries;
  const auto open = [&]() -> Result<void> {
    const auto extent = log_.extent(kJournal);
    if (!extent) return extent.error();
    if (end == 0) end = extent->end;
    next = std::max(next, extent->begin);
    auto opened = log_.open_reader({{kJournal, next}});
    if (!opened) return opened.error();
    reader = std::move(*opened);
    return {};
  };
  while (true) {
    Result<void> done = reader ? Result<void>() : open();
    if (done && next >= end) return tell(std::nullopt), true;
    if (done) {
      entries.clear();
      if (const auto polled = reader->poll(kSecond, kEntries, kBytes, entries); !polled)
        done = polled.error();
      if (!entries.empty()) next = entries.back().offset + 1;
    }
    if (!done && is_log_broken(done.error())) return tell(done.error()), true;
    if (!done && is_out_of_range(done.error())) return true;  // it was cut: the next walk begins anew
    if (!done) reader.reset();
    if (!pause(done ? times_.breath : kAwayFor)) return false;
  }
}

}  // namespace berth::controller
