// The writing half of the log on Kafka: an idempotent producer, replaced when librdkafka declares it dead.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "events/log/kafka/broker_access.h"
#include "events/log/kafka/handles.h"
#include "events/log/kafka/kafka_log.h"

namespace berth::kafka {

// append(): any thread.
class Producer {
 public:
  static Result<std::unique_ptr<Producer>> start(const BrokerAccess& access, const KafkaLogOptions& options);
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  void append(Partition partition, std::string_view key, std::string_view payload, AppendDone done);

 private:
  struct Connection {  // a producer with its topics; topics go first
    Owned<rd_kafka_t> handle;
    std::array<Owned<rd_kafka_topic_t>, kStreamCount> topics;
    ~Connection() {
      for (Owned<rd_kafka_topic_t>& topic : topics) topic.reset();
    }
  };
  using ConnectionPtr = std::unique_ptr<Connection>;

  Producer(BrokerAccess access, KafkaLogOptions options)
      : access_(std::move(access)), options_(std::move(options)) {}
  Result<ConnectionPtr> connect();
  void run();
  void replace();
  void refuse(AppendDone done, Error error);
  void call_refused();
  // Waits up to `timeout` for the outcome of all appends under way, then gives the rest up.
  static void settle(Connection& connection, Duration timeout);
  static void on_delivery(rd_kafka_t* handle, const rd_kafka_message_t* message, void* opaque);
  static void on_error(rd_kafka_t* handle, int code, const char* text, void* opaque);

  const BrokerAccess access_;
  const KafkaLogOptions options_;
  std::shared_mutex connection_mutex_;  // exclusive only while the connection is replaced
  ConnectionPtr connection_;
  std::atomic<bool> fatal_{false};
  std::atomic<bool> closing_{false};
  std::mutex refused_mutex_;
  std::vector<std::pair<AppendDone, Error>> refused_;
  std::thread thread_;
};

}  // namespace berth::kafka
