// The extent of a partition, asked of its leader.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "events/log/event_log.h"
#include "events/log/kafka/broker_access.h"
#include "events/log/kafka/ends.h"
#include "events/log/kafka/handles.h"

namespace berth::kafka {

// Asks again, and who leads, while the partition has no leader, its leader does not answer, or `ends` (null:
// none) does not believe the answer, up to `timeout`; then "log-unavailable".
Result<Extent> query_watermarks(rd_kafka_t* handle, const std::string& topic, Partition partition,
                                Duration timeout, Ends* ends = nullptr);

// On a connection of its own: neither a producer that is replaced nor appends wait for a question.
// Thread-safe.
class Watermarks {
 public:
  // Codes: kafka-config-invalid, log-io-error.
  static Result<std::unique_ptr<Watermarks>> open(const BrokerAccess& access, std::shared_ptr<Ends> ends);
  Result<Extent> query(const std::string& topic, Partition partition, Duration timeout) {
    return query_watermarks(handle_.get(), topic, partition, timeout, ends_.get());
  }

 private:
  Watermarks(Owned<rd_kafka_t> handle, std::shared_ptr<Ends> ends)
      : handle_(std::move(handle)), ends_(std::move(ends)) {}
  const Owned<rd_kafka_t> handle_;
  const std::shared_ptr<Ends> ends_;
};

}  // namespace berth::kafka
