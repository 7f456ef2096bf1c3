// The embedded log's housekeeping thread: the end mark behind the log, and retention.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "events/log/local/end_mark.h"
#include "events/log/local/local_log.h"
#include "events/log/local/local_reader.h"

namespace berth::local {

class Keeper {
 public:
  Keeper(std::shared_ptr<LogCore> core, std::unique_ptr<EndMark> mark, const LocalLogOptions& options);
  ~Keeper();  // writes the last mark; the appender must have ended
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

 private:
  void run();
  void write_mark();
  void remove_old();

  const std::shared_ptr<LogCore> core_;
  const std::unique_ptr<EndMark> mark_;
  const Clock& clock_;
  const Duration mark_interval_;
  const Duration retention_interval_;
  Timestamp next_removal_;  // boottime; counted from the construction: the thread may take its first turn
                            // much later

  std::mutex mutex_;
  std::condition_variable changed_;
  bool closing_ = false;
  std::thread thread_;
};

// The ends that the mark covers (liveness streams count as 0).
std::vector<Offset> marked_ends(const LogCore& core);

}  // namespace berth::local
