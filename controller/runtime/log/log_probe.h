// LogProbe: looks at the log once a second, for Health: does it answer, where does the journal end, do inputs
// lie there that nobody takes? A thread of its own, so that a log that hangs delays nothing else.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "controller/runtime/health.h"
#include "events/base/clock.h"

namespace berth::controller {

// The first input of the partition that the journal has not taken.
using NextInput = std::function<Offset(const Partition&)>;

class LogProbe {
 public:
  // All must outlive the probe.
  LogProbe(EventLog& log, const Clock& clock, NextInput next_input, Health& health)
      : log_(log), clock_(clock), next_input_(std::move(next_input)), health_(health) {}
  ~LogProbe() { stop(); }

  void start();
  void stop();  // waits for the look under way
  // One look. For start()'s thread, and for tests instead of start().
  void look();

 private:
  struct Seen {
    Offset next = 0;
    Timestamp since = 0;
    Offset empty_to = 0;  // nothing to read lies between next and here
  };
  void look_at(const Partition& partition);
  bool has_entry(const Partition& partition, Offset from);

  EventLog& log_;
  const Clock& clock_;
  const NextInput next_input_;
  Health& health_;
  std::map<Partition, Seen> seen_;  // partitions whose log goes on behind the first input not taken
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace berth::controller
