// A cursor on Kafka: librdkafka's simple consumer on fixed partitions, one queue for all of them.
//
// The reader adds two things to librdkafka 2.0.2. Offsets without a record are told (P30): librdkafka passes
// over the marks at which transactions end, so every offset is compared with the expected one. What is
// missing is a gap and no loss, since a broker refuses to read from before a partition's begin. And a
// partition whose fetch failed for good is started again by the next poll, at its offset.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/log/event_log.h"
#include "events/log/kafka/broker_access.h"
#include "events/log/kafka/ends.h"
#include "events/log/kafka/handles.h"

namespace berth::kafka {

class KafkaReader final : public LogReader {
 public:
  static Result<std::unique_ptr<KafkaReader>> open(const BrokerAccess& access, const LogLayout& layout,
                                                   const std::vector<ReadFrom>& from,
                                                   std::shared_ptr<Ends> ends);
  ~KafkaReader() override;
  KafkaReader(const KafkaReader&) = delete;
  KafkaReader& operator=(const KafkaReader&) = delete;

  Result<std::size_t> poll(Duration wait, std::size_t max_entries, std::size_t max_bytes,
                           std::vector<LogEntry>& out) override;
  void seek(Partition partition, Offset offset) override;
  void wake() override;

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Cursor {
    Partition partition;
    Offset offset = 0;
    bool started = false;
    Offset read_to = 0;  // behind the last entry that was read, wherever the cursor was set since
  };

  KafkaReader() = default;
  rd_kafka_topic_t* topic(Partition partition) const {
    return topics_[static_cast<std::size_t>(partition.stream)].get();
  }
  Cursor* find(const rd_kafka_message_t& message);
  Result<void> start_all();
  void stop(Cursor& cursor);
  // What a poll may still take.
  struct Budget {
    std::size_t entries;
    std::size_t bytes;
    std::size_t taken = 0;
    bool spent() const { return entries == 0 || bytes == 0; }
  };
  Result<std::size_t> take_some(Duration wait, Budget& budget, std::vector<LogEntry>& out);
  Owned<rd_kafka_message_t> next_message(int timeout_ms);
  // Appends the entry and the gaps before it, drops an outdated one, or returns the error. What the budget
  // does not allow is held for the next poll.
  Result<void> take(Owned<rd_kafka_message_t> message, Budget& budget, std::vector<LogEntry>& out);
  static void push(Cursor& cursor, LogEntry entry, Budget& budget, std::vector<LogEntry>& out);
  Result<void> explain_error(Cursor* cursor, const rd_kafka_message_t& message);
  Result<Extent> watermarks(Partition partition);
  static void on_error(rd_kafka_t* handle, int code, const char* text, void* opaque);

  std::shared_ptr<Ends> ends_;
  Owned<rd_kafka_t> handle_;
  std::array<Owned<rd_kafka_topic_t>, kStreamCount> topics_;
  Owned<rd_kafka_queue_t> queue_;
  Owned<rd_kafka_message_t> held_;  // taken from the queue and not yet, or not wholly, told
  std::vector<Cursor> cursors_;
  std::array<std::vector<std::size_t>, kStreamCount> cursor_of_;  // by stream and partition number, index + 1
  std::optional<Error> pending_;  // met after entries were taken: the next poll returns it
  bool all_started_ = false;
  std::atomic<bool> woken_{false};
  std::atomic<bool> brokers_away_{false};
};

}  // namespace berth::kafka
