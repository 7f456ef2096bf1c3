// Requests of a Kafka's administrator.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "events/log/kafka/handles.h"
#include "events/log/kafka/settings.h"

namespace berth {

inline kafka::Owned<rd_kafka_t> administrator(const std::string& brokers) {
  auto handle =
      kafka::make_handle(RD_KAFKA_PRODUCER, std::move(*kafka::producer_settings({brokers}, 10 * kSecond)));
  EXPECT_TRUE(handle.ok());
  return std::move(*handle);
}

// Makes the request and waits for its answer.
template <class Request> void administer(const std::string& brokers, const Request& request) {
  const auto handle = administrator(brokers);
  const kafka::Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(handle.get()));
  request(handle.get(), queue.get());
  const kafka::Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), 20'000));
  ASSERT_TRUE(event);
  ASSERT_EQ(rd_kafka_event_error(event.get()), RD_KAFKA_RESP_ERR_NO_ERROR)
      << rd_kafka_event_error_string(event.get());
}

}  // namespace berth
