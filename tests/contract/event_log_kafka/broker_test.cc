// The log on Kafka against what brokers and their administrators do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "events/log/kafka/handles.h"
#include "events/log/kafka/kafka_log.h"
#include "events/log/kafka/settings.h"
#include "tests/contract/event_log_kafka/administer.h"
#include "tests/contract/event_log_kafka/broker.h"
#include "tests/contract/event_log_kafka/transaction.h"

namespace berth {
namespace {

using testing::HasSubstr;

constexpr Partition kJournal{Stream::kJournal, 0};

class KafkaLogOnABroker : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string& reason = KafkaBroker::shared().missing(); !reason.empty()) GTEST_SKIP() << reason;
    options_.brokers = KafkaBroker::shared().address();
    options_.allow_one_replica = true;
    options_.layout = {.cluster = fresh_cluster(), .cell = "c0", .requests = 1, .reports = 1, .orders = 1};
  }
  std::unique_ptr<EventLog> open_good() {
    Result<std::unique_ptr<EventLog>> log = open_kafka_log(options_);
    EXPECT_TRUE(log.ok()) << to_string(log.error());
    return log ? std::move(*log) : nullptr;
  }
  static AppendResult append_and_wait(EventLog& log, std::string payload) {
    std::promise<AppendResult> done;
    log.append(kJournal, "", std::move(payload), [&](const AppendResult& result) { done.set_value(result); });
    return done.get_future().get();
  }
  static std::vector<LogEntry> read(EventLog& log, std::size_t count) {
    const std::unique_ptr<LogReader> reader = std::move(*log.open_reader({{kJournal, 0}}));
    std::vector<LogEntry> entries;
    for (int idle = 0; entries.size() < count && idle < 30;) {
      const Result<std::size_t> got = reader->poll(kSecond, 100'000, 64 << 20, entries);
      if (!got || *got == 0) ++idle;
    }
    return entries;
  }

  KafkaLogOptions options_;
};

TEST_F(KafkaLogOnABroker, NothingAcknowledgedIsLostToKill9OfTheBrokerAndOrderIsKept) {
  const std::unique_ptr<EventLog> log = open_good();
  const std::unique_ptr<LogReader> tail =
      std::move(*log->open_reader({{kJournal, 0}}));  // goes on over the kill, too
  constexpr std::uint32_t kAppends = 60'000;
  constexpr std::uint32_t kInFlight = 5'000;
  std::vector<AppendResult> heard;
  heard.reserve(kAppends);
  std::atomic<std::uint32_t> count{0};
  std::thread killer([&count] {
    for (std::uint32_t now = count; now < kAppends / 3; now = count) count.wait(now);
    KafkaBroker::shared().kill_now();
    KafkaBroker::shared().start();
  });
  for (std::uint32_t i = 0; i < kAppends; ++i) {
    for (std::uint32_t now = count; i - now > kInFlight; now = count) count.wait(now);
    log->append(kJournal, "", std::to_string(i), [&](const AppendResult& result) {
      heard.push_back(result);
      ++count;
      count.notify_all();
    });
  }
  for (std::uint32_t now = count; now < kAppends; now = count) count.wait(now);
  killer.join();

  const std::vector<LogEntry> entries = read(*log, kAppends);
  // Each append is there once and in order: the producer is idempotent and gives nothing up.
  ASSERT_EQ(entries.size(), kAppends);
  for (std::uint32_t i = 0; i < kAppends; ++i) ASSERT_EQ(entries[i].payload, std::to_string(i));
  for (std::uint32_t i = 0; i < kAppends; ++i) {
    if (heard[i].state != AppendState::kDurable) continue;
    ASSERT_EQ(heard[i].offset, i);
  }
  std::vector<LogEntry> tailed;
  for (int idle = 0; tailed.size() < kAppends && idle < 30;) {
    const Result<std::size_t> got = tail->poll(kSecond, 100'000, 64 << 20, tailed);
    if (!got || *got == 0) ++idle;
  }
  EXPECT_EQ(tailed.size(), kAppends);
}

TEST_F(KafkaLogOnABroker, WhatIsAppendedWhileTheBrokerIsAwayLandsWhenItIsBack) {
  const std::unique_ptr<EventLog> log = open_good();
  EXPECT_EQ(append_and_wait(*log, "before").offset, 0u);
  KafkaBroker::shared().kill_now();
  std::promise<AppendResult> done;
  log->append(kJournal, "", "meanwhile", [&](const AppendResult& result) { done.set_value(result); });
  KafkaBroker::shared().start();
  const AppendResult result = done.get_future().get();
  EXPECT_EQ(result.state, AppendState::kDurable) << to_string(result.error);
  EXPECT_EQ(result.offset, 1u);
}

TEST_F(KafkaLogOnABroker, AShortProducerTimeoutEndsInAnAnswer) {
  options_.producer_timeout = 300 * kMillisecond;
  const std::unique_ptr<EventLog> log = open_good();
  append_and_wait(*log, "before");
  KafkaBroker::shared().kill_now();
  const AppendResult result = append_and_wait(*log, "too late");
  EXPECT_NE(result.state, AppendState::kDurable);
  EXPECT_EQ(result.error.code, "log-unavailable");
  KafkaBroker::shared().start();
  AppendResult after;
  for (int i = 0; i < 100 && after.state != AppendState::kDurable; ++i)
    after = append_and_wait(*log, "after");
  EXPECT_EQ(after.state, AppendState::kDurable) << to_string(after.error);
}

TEST_F(KafkaLogOnABroker, AReaderWithoutABrokerSaysSoAndGoesOnWhenItIsBack) {
  const std::unique_ptr<EventLog> log = open_good();
  append_and_wait(*log, "before");
  const std::unique_ptr<LogReader> reader = std::move(*log->open_reader({{kJournal, 0}}));
  std::vector<LogEntry> entries;
  while (entries.empty()) ASSERT_TRUE(reader->poll(kSecond, 10, 1000, entries).ok());
  KafkaBroker::shared().kill_now();
  Result<std::size_t> got = std::size_t{0};
  for (int i = 0; i < 30 && got.ok(); ++i) got = reader->poll(kSecond, 10, 1000, entries);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, "log-unavailable");
  KafkaBroker::shared().start();
  append_and_wait(*log, "after");
  for (int i = 0; i < 30 && entries.size() < 2; ++i) (void)reader->poll(kSecond, 10, 1000, entries);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[1].payload, "after");
}

TEST_F(KafkaLogOnABroker, NoBrokerIsAnErrorThatNamesTheAddress) {
  options_.brokers = "127.0.0.1:1";
  options_.open_timeout = 500 * kMillisecond;
  const Result<std::unique_ptr<EventLog>> log = open_kafka_log(options_);
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-unavailable");
  EXPECT_THAT(log.error().message, HasSubstr("127.0.0.1:1"));
}

TEST_F(KafkaLogOnABroker, AnotherLayoutIsRefusedAndBothAreNamed) {
  open_good().reset();
  options_.layout.orders = 2;
  const Result<std::unique_ptr<EventLog>> log = open_kafka_log(options_);
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-layout-differs");
  EXPECT_THAT(log.error().message, HasSubstr("has 1 partitions, asked for are 2"));
}

TEST_F(KafkaLogOnABroker, AJournalThatWouldForgetIsRefused) {
  const std::string name = options_.layout.stream_name(Stream::kJournal);
  administer(options_.brokers, [&](rd_kafka_t* handle, rd_kafka_queue_t* queue) {
    char why[256];
    const kafka::Owned<rd_kafka_NewTopic_t> topic(rd_kafka_NewTopic_new(name.c_str(), 1, 1, why, sizeof why));
    rd_kafka_NewTopic_t* topics[] = {topic.get()};
    rd_kafka_CreateTopics(handle, topics, 1, nullptr, queue);
  });
  const Result<std::unique_ptr<EventLog>> log = open_kafka_log(options_);
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.error().code, "log-settings-unsafe");
  EXPECT_THAT(log.error().message, HasSubstr(name));
  EXPECT_THAT(log.error().message, HasSubstr("retention"));
}

// isolation.level=read_uncommitted: nobody's transaction that hangs keeps a stream from being read.
TEST_F(KafkaLogOnABroker, P30_WhatIsWrittenInOrBehindAnOpenTransactionIsReadAtOnce) {
  const std::unique_ptr<EventLog> log = open_good();
  const std::string topic = options_.layout.stream_name(Stream::kJournal);
  TransactionalProducer producer(options_.brokers, options_.layout.cluster);
  producer.append(topic, 0, "open");
  EXPECT_EQ(append_and_wait(*log, "behind").offset, 1u);
  EXPECT_EQ(log->extent(kJournal)->end, 2u);
  EXPECT_EQ(read(*log, 2).size(), 2u);
  producer.abort();
  const std::vector<LogEntry> entries = read(*log, 3);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].payload, "open") << "it was read, so it stays";
  EXPECT_TRUE(entries[2].gap);
}

TEST_F(KafkaLogOnABroker, APositionBeforeTheOldestRecordIsOutOfRange) {
  const std::unique_ptr<EventLog> log = open_good();
  for (int i = 0; i < 5; ++i) append_and_wait(*log, std::to_string(i));
  administer(options_.brokers, [&](rd_kafka_t* handle, rd_kafka_queue_t* queue) {
    rd_kafka_topic_partition_list_t* before = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(before, options_.layout.stream_name(Stream::kJournal).c_str(), 0)
        ->offset = 3;
    rd_kafka_DeleteRecords_t* records = rd_kafka_DeleteRecords_new(before);
    rd_kafka_DeleteRecords(handle, &records, 1, nullptr, queue);
    rd_kafka_DeleteRecords_destroy(records);
    rd_kafka_topic_partition_list_destroy(before);
  });
  EXPECT_EQ(log->extent(kJournal)->begin, 3u);
  const std::unique_ptr<LogReader> reader = std::move(*log->open_reader({{kJournal, 1}}));
  std::vector<LogEntry> entries;
  Result<std::size_t> got = std::size_t{0};
  for (int i = 0; i < 30 && got.ok() && *got == 0; ++i) got = reader->poll(kSecond, 10, 1000, entries);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, "offset-out-of-range");
  EXPECT_THAT(got.error().message, HasSubstr("3 to 5"));
  reader->seek(kJournal, 3);
  while (entries.size() < 2) ASSERT_TRUE(reader->poll(kSecond, 10, 1000, entries).ok());
  EXPECT_EQ(entries[0].payload, "3");
}

}  // namespace
}  // namespace berth
