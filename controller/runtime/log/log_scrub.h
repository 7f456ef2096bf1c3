// LogScrub: reads the whole journal once a day, slowly. Old blocks are read by nobody else for months, and
// what a disk has lost of them would be met when a backup or a rebuild needs them. A thread of its own.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "events/base/clock.h"
#include "events/log/event_log.h"

namespace berth::controller {

struct LogScrubTimes {
  Duration first = 5 * kMinute;   // after the start
  Duration every = kDay;          // between two walks
  Duration breath = kSecond / 4;  // after each MiB
};

class LogScrub {
 public:
  // Both outlive it.
  LogScrub(EventLog& log, const Clock& clock, LogScrubTimes times = {})
      : log_(log), clock_(clock), times_(times) {}
  ~LogScrub() { stop(); }

  void start();
  void stop();

  struct Found {
    Timestamp whole_at = 0;       // boottime: the last walk that came to the end ended then; 0: none did yet
    std::optional<Error> damage;  // that the last walk met: log-corrupt, log-io-error
  };
  // Thread-safe.
  Found found() const;

 private:
  void run();
  // From the first record on to the end that the journal had when the walk began. False: to be stopped.
  bool walk();
  bool pause(Duration time);
  void tell(std::optional<Error> damage);

  EventLog& log_;
  const Clock& clock_;
  const LogScrubTimes times_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  Found found_;
  std::thread thread_;
};

}  // namespace berth::controller
