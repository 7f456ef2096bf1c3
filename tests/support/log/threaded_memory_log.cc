#include "tests/support/log/threaded_memory_log.h"

#include <atomic>
#include <chrono>

namespace berth {

class ThreadedMemoryLog::Reader final : public LogReader {
 public:
  Reader(ThreadedMemoryLog& log, std::unique_ptr<LogReader> inner, Stream stream)
      : log_(log), inner_(std::move(inner)), stream_(stream) {}

  Result<std::size_t> poll(Duration wait, std::size_t entries, std::size_t bytes,
                           std::vector<LogEntry>& out) override {
    std::unique_lock lock(log_.mutex_);
    const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(wait);
    for (;;) {
      auto polled = read(entries, bytes, out);
      if (!polled || *polled > 0 || woken_.exchange(false)) return polled;
      if (log_.grown_.wait_until(lock, until) == std::cv_status::timeout) return read(entries, bytes, out);
    }
  }
  void seek(Partition partition, Offset offset) override {
    const std::lock_guard lock(log_.mutex_);
    inner_->seek(partition, offset);
  }
  void wake() override {
    const std::lock_guard lock(log_.mutex_);
    woken_ = true;
    log_.grown_.notify_all();
  }

 private:
  Result<std::size_t> read(std::size_t entries, std::size_t bytes, std::vector<LogEntry>& out) {
    if (log_.standing_ != stream_) return inner_->poll(0, entries, bytes, out);
    if (log_.says_so_) return make_error("log-unavailable", "told to stand still");
    return std::size_t{0};
  }

  ThreadedMemoryLog& log_;
  std::unique_ptr<LogReader> inner_;
  const Stream stream_;  // of its first partition
  std::atomic<bool> woken_{false};
};

void ThreadedMemoryLog::append(Partition partition, std::string_view key, std::string payload,
                               AppendDone done) {
  AppendResult result;
  {
    const std::lock_guard lock(mutex_);
    if (holding_ == partition.stream) {
      held_.push_back({partition, std::string(key), std::move(payload), std::move(done)});
      return;
    }
    if (failing_ > 0 && partition.stream == failing_stream_) {
      --failing_;
      result.state = AppendState::kFailed;
      result.error = make_error("log-unavailable", "told to fail");
    } else {
      log_->append(partition, key, std::move(payload),
                   [&](const AppendResult& appended) { result = appended; });
      grown_.notify_all();
    }
  }
  if (done) done(result);
}

Result<Extent> ThreadedMemoryLog::extent(Partition partition) {
  const std::lock_guard lock(mutex_);
  return log_->extent(partition);
}

Result<std::unique_ptr<LogReader>> ThreadedMemoryLog::open_reader(std::vector<ReadFrom> from) {
  const std::lock_guard lock(mutex_);
  if (closed_ > 0 && from.front().partition.stream == closed_stream_) {
    --closed_;
    return make_error("log-unavailable", "told to fail");
  }
  const Stream stream = from.front().partition.stream;
  auto inner = log_->open_reader(std::move(from));
  if (!inner) return inner.error();
  return std::unique_ptr<LogReader>(std::make_unique<Reader>(*this, std::move(*inner), stream));
}

void ThreadedMemoryLog::add_gap(Partition partition) {
  const std::lock_guard lock(mutex_);
  server_->add_gap(partition);
  grown_.notify_all();
}

void ThreadedMemoryLog::fail_appends(Stream stream, int count) {
  const std::lock_guard lock(mutex_);
  failing_stream_ = stream;
  failing_ = count;
}

void ThreadedMemoryLog::hold(Stream stream) {
  const std::lock_guard lock(mutex_);
  holding_ = stream;
}

void ThreadedMemoryLog::release() {
  std::vector<Held> held;
  {
    const std::lock_guard lock(mutex_);
    holding_.reset();
    held.swap(held_);
  }
  for (Held& one : held) append(one.partition, one.key, std::move(one.payload), std::move(one.done));
}

void ThreadedMemoryLog::fail_opens(Stream stream, int count) {
  const std::lock_guard lock(mutex_);
  closed_stream_ = stream;
  closed_ = count;
}

void ThreadedMemoryLog::stand_still(Stream stream, bool says_so) {
  const std::lock_guard lock(mutex_);
  standing_ = stream;
  says_so_ = says_so;
}

void ThreadedMemoryLog::goes_on() {
  const std::lock_guard lock(mutex_);
  standing_.reset();
  grown_.notify_all();
}

void ThreadedMemoryLog::truncate(Partition partition, Offset end) {
  const std::lock_guard lock(mutex_);
  server_->truncate(partition, end);
  grown_.notify_all();
}

}  // namespace berth
