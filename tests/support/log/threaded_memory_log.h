// The memory log for tests of runtimes: the same log behind one lock, so that threads may use it and readers
// may wait.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "events/log/memory_log.h"

namespace berth {

// Thread-safe. Appends are durable at once; their callbacks run inside append(), without the lock.
class ThreadedMemoryLog final : public EventLog {
 public:
  explicit ThreadedMemoryLog(LogLayout layout = {})
      : server_(MemoryLogServer::create(layout, MemoryLogMode::kAutomatic)),
        log_(server_->connect()),
        layout_(std::move(layout)) {}

  const LogLayout& layout() const override { return layout_; }
  void append(Partition partition, std::string_view key, std::string payload, AppendDone done) override;
  void flush() override {}
  Result<Extent> extent(Partition partition) override;
  Result<std::unique_ptr<LogReader>> open_reader(std::vector<ReadFrom> from) override;

  void add_gap(Partition partition);  // an offset without a payload (P30)
  // The next `count` appends to that stream fail (they are not in the log).
  void fail_appends(Stream stream, int count);
  // Appends to that stream are neither made nor told of until release().
  void hold(Stream stream);
  void release();
  // The next `count` readers of that stream do not open: the log is unavailable.
  void fail_opens(Stream stream, int count);
  // Readers of that stream get nothing, as of a broker that stands still, until goes_on(); `says_so`: they
  // get log-unavailable. Its extent is still told.
  void stand_still(Stream stream, bool says_so = false);
  void goes_on();
  // Loses the durable tail.
  void truncate(Partition partition, Offset end);

 private:
  class Reader;

  std::mutex mutex_;
  std::condition_variable grown_;
  std::shared_ptr<MemoryLogServer> server_;
  std::unique_ptr<EventLog> log_;
  LogLayout layout_;
  Stream failing_stream_ = Stream::kReports;
  int failing_ = 0;
  Stream closed_stream_ = Stream::kReports;
  int closed_ = 0;
  struct Held {
    Partition partition;
    std::string key, payload;
    AppendDone done;
  };
  std::optional<Stream> standing_;
  bool says_so_ = false;
  std::optional<Stream> holding_;
  std::vector<Held> held_;
};

}  // namespace berth
