// InputFeed: reads requests and reports while this controller leads, and beats and heartbeats always.
//
// Two threads: one polls the input partitions, one polls health and control. Inputs are checked at election:
// is the last taken input still the same in its stream (P13)?
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "controller/runtime/core_queue.h"
#include "events/log/event_log.h"

namespace berth::controller {

class InputFeed {
 public:
  InputFeed(EventLog& log, CoreQueue& queue) : log_(log), queue_(queue) {}
  ~InputFeed() { stop(); }

  Result<void> start();
  void stop();

  // From the strand. Answers come as InputChecked. A stream that stands still is waited for until the next
  // call of check() or stop_inputs().
  void check(std::vector<CheckInput> checks);
  // As check(), while reading goes on. An input that cannot be read in time is not answered: the next glance
  // asks again.
  void glance(std::vector<CheckInput> checks);
  void seek(const std::vector<SeekInput>& seeks);
  void stop_inputs();
  void set_full(bool full) { full_ = full; }

 private:
  struct Task {
    std::vector<CheckInput> checks;
    std::vector<CheckInput> glances;
    std::vector<ReadFrom> seeks;
    bool stop = false;
  };
  // The last input below check.next, in search: read from offset `from` on.
  struct LastInput {
    CheckInput check;
    Extent extent;  // of the partition
    Offset from = 0;
    std::optional<std::uint32_t> crc;  // of the newest input read
    bool at_mark = false;              // another input stands at the check's own place
  };
  void run_inputs();
  void run_liveness();
  bool take_task(Task& task);
  void do_checks(const std::vector<CheckInput>& checks, bool glance);
  void read_last(std::vector<LastInput> last, bool glance);
  void take_last(std::vector<LastInput>& last, const std::vector<LogEntry>& entries, LogReader& reader);
  bool found_last(LastInput& last, LogReader& reader);
  static bool go_back(LastInput& last);
  bool is_over(bool glance, Duration waited);
  // Partitions come one by one as they are checked: reading starts when all are there, so that one reader
  // serves them.
  bool may_open() const;
  void open_inputs();
  void poll_inputs();

  EventLog& log_;
  CoreQueue& queue_;
  std::thread inputs_thread_;
  std::thread liveness_thread_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> full_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  Task task_;
  std::unique_ptr<LogReader> inputs_;  // inputs thread only
  std::vector<ReadFrom> positions_;    // of inputs_, as sought
  std::unique_ptr<LogReader> liveness_;
};

}  // namespace berth::controller
