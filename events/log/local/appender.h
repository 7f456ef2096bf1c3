// The writing half of the embedded log: a queue, a thread, group commit.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "events/base/files/disk_error.h"
#include "events/log/local/local_reader.h"

namespace berth::local {

// append(): any thread.
class Appender {
 public:
  // `patience`: how long a disk may fail (is_disk_failing) before the log is broken.
  Appender(std::shared_ptr<LogCore> core, const Clock& clock, Duration patience);
  ~Appender();  // writes the queue first
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  void append(Partition partition, std::string payload, AppendDone done);

 private:
  struct Queued {
    std::size_t index;
    std::string payload;
    AppendDone done;
    Offset offset = 0;
    bool too_large = false;
  };
  struct Building {  // per partition, while a group is put together
    std::size_t bytes = 0;
    std::unique_ptr<BlockBuilder> builder;
  };
  using Group = std::vector<Queued>;

  void run();
  // Writes [from, to) of the group as one batch and reports.
  void write(Group& group, std::size_t from, std::size_t to);
  std::vector<Tail::Added> build(Group& group, std::size_t from, std::size_t to);
  WriteOutcome store(const std::vector<Tail::Added>& blocks);
  // Returns what the caller is told: the log waits for its disk from now on, or is broken.
  Error stop_for(Error error);
  static void report(Group& group, std::size_t from, std::size_t to, const WriteOutcome& outcome);

  const std::shared_ptr<LogCore> core_;
  const Clock& clock_;
  std::vector<Offset> ends_;        // the appender's own, by partition
  std::vector<Building> building_;  // by partition
  std::vector<std::size_t> touched_;
  bool stopped_ = false;  // the disk failed in a way that may pass: resume() before the next write
  DiskPatience patience_;
  Error broken_;  // final, if it has a code

  std::mutex mutex_;
  std::condition_variable more_;
  Group queue_;
  bool idle_ = false;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace berth::local
