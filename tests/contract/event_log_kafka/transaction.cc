#include "tests/contract/event_log_kafka/transaction.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "events/log/kafka/watermarks.h"

namespace berth {
namespace {

constexpr int kPatienceMs = 30'000;

}  // namespace

TransactionalProducer::TransactionalProducer(const std::string& brokers, const std::string& name) {
  char why[256];
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", brokers.c_str(), why, sizeof why);
  rd_kafka_conf_set(conf, "transactional.id", name.c_str(), why, sizeof why);
  rd_kafka_conf_set(conf, "log_level", "0", why, sizeof why);
  handle_.reset(rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why));
  EXPECT_TRUE(handle_) << why;
  expect_done(rd_kafka_init_transactions(handle_.get(), kPatienceMs));
}

void TransactionalProducer::append(const std::string& topic, int partition, const std::string& payload) {
  if (!open_) {
    topic_ = topic;
    partition_ = partition;
    begin_ = committed_end();
    expect_done(rd_kafka_begin_transaction(handle_.get()));
    open_ = true;
  }
  EXPECT_EQ(
      rd_kafka_producev(handle_.get(), RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(partition),
                        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                        RD_KAFKA_V_VALUE(const_cast<char*>(payload.data()), payload.size()), RD_KAFKA_V_END),
      RD_KAFKA_RESP_ERR_NO_ERROR);
  EXPECT_EQ(rd_kafka_flush(handle_.get(), kPatienceMs), RD_KAFKA_RESP_ERR_NO_ERROR);
}

void TransactionalProducer::commit() {
  expect_done(rd_kafka_commit_transaction(handle_.get(), kPatienceMs));
  await_mark();
}

void TransactionalProducer::abort() {
  expect_done(rd_kafka_abort_transaction(handle_.get(), kPatienceMs));
  await_mark();
}

// The end as a reader of committed records sees it: it stands at an open transaction's first record.
Offset TransactionalProducer::committed_end() {
  const Result<Extent> extent = kafka::query_watermarks(
      handle_.get(), topic_, {Stream::kJournal, static_cast<std::uint32_t>(partition_)}, 30 * kSecond);
  EXPECT_TRUE(extent.ok()) << to_string(extent.error());
  return extent ? extent->end : 0;
}

void TransactionalProducer::await_mark() {
  open_ = false;
  for (int i = 0; i < 1'000 && committed_end() == begin_; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // nothing tells when
}

void TransactionalProducer::expect_done(rd_kafka_error_t* error) {
  if (error == nullptr) return;
  ADD_FAILURE() << rd_kafka_error_string(error);
  rd_kafka_error_destroy(error);
}

}  // namespace berth
