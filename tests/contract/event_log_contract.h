// What every EventLog must do, as sentences. Include it in one .cc of a test program and instantiate
// EventLogContract with a harness for the implementation (tests/contract/event_log_memory and so on).
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "events/log/event_log.h"
#include "events/log/positions.h"

namespace berth {

// One log under test. Small layout: Kafka makes real topics for each test.
class EventLogHarness {
 public:
  virtual ~EventLogHarness() = default;
  // Opens the same log again and again; the one before is closed first where only one may be open.
  virtual std::unique_ptr<EventLog> open() = 0;
  // A reason to skip, empty if none.
  virtual std::string missing() { return {}; }
  // Appends the payload in a transaction of another producer's and ends it, which leaves a gap (P30). False:
  // this log has no transactions.
  virtual bool append_in_transaction(Partition /*partition*/, const std::string& /*payload*/) {
    return false;
  }
  // Does poll() wait, and do threads make sense? Not on the memory log.
  virtual bool threads() { return true; }

  LogLayout layout{.cluster = "t", .cell = "c0", .requests = 2, .reports = 1, .orders = 3};
};

using EventLogHarnessFactory = std::function<std::unique_ptr<EventLogHarness>()>;

inline constexpr Partition kJournal0{Stream::kJournal, 0};
inline constexpr Partition kRequests1{Stream::kRequests, 1};
inline constexpr Partition kOrders2{Stream::kOrders, 2};

class EventLogContract : public ::testing::TestWithParam<EventLogHarnessFactory> {
 protected:
  void SetUp() override {
    harness_ = GetParam()();
    if (const std::string reason = harness_->missing(); !reason.empty()) GTEST_SKIP() << reason;
    log_ = harness_->open();
    ASSERT_NE(log_, nullptr);
  }

  void reopen() {
    log_.reset();
    log_ = harness_->open();
    ASSERT_NE(log_, nullptr);
  }

  // Appends all and waits until the log has said what became of each.
  std::vector<AppendResult> append_all(Partition partition, const std::vector<std::string>& payloads) {
    std::vector<AppendResult> results;
    std::promise<void> all;
    for (const std::string& payload : payloads) {
      log_->append(partition, "key", payload, [&, count = payloads.size()](const AppendResult& result) {
        results.push_back(result);
        if (results.size() == count) all.set_value();
      });
    }
    log_->flush();
    if (!payloads.empty()) all.get_future().wait();
    return results;
  }

  AppendResult append_one(Partition partition, std::string payload) {
    return append_all(partition, {std::move(payload)}).at(0);
  }

  std::unique_ptr<LogReader> reader(std::vector<ReadFrom> from) {
    Result<std::unique_ptr<LogReader>> opened = log_->open_reader(std::move(from));
    EXPECT_TRUE(opened.ok()) << to_string(opened.error());
    return opened ? std::move(*opened) : nullptr;
  }

  // Polls until `count` entries came or 10 s went by without one.
  static std::vector<LogEntry> read(LogReader& from, std::size_t count) {
    std::vector<LogEntry> entries;
    while (entries.size() < count) {
      const Result<std::size_t> got = from.poll(10 * kSecond, count - entries.size(), 64 << 20, entries);
      if (!got || *got == 0) {
        ADD_FAILURE() << "after " << entries.size()
                      << " entries: " << (got ? "nothing more" : to_string(got.error()));
        break;
      }
    }
    return entries;
  }

  static std::vector<std::string> numbered(int count, const std::string& prefix = "e") {
    std::vector<std::string> payloads;
    for (int i = 0; i < count; ++i) payloads.push_back(prefix + std::to_string(i));
    return payloads;
  }

  std::unique_ptr<EventLogHarness> harness_;
  std::unique_ptr<EventLog> log_;
};

inline std::vector<std::string> payloads_of(const std::vector<LogEntry>& entries) {
  std::vector<std::string> payloads;
  for (const LogEntry& entry : entries) payloads.push_back(entry.payload);
  return payloads;
}

TEST_P(EventLogContract, AFreshLogIsEmptyAndItsExtentSaysSo) {
  const Result<Extent> extent = log_->extent(kJournal0);
  ASSERT_TRUE(extent.ok()) << to_string(extent.error());
  EXPECT_EQ(extent->begin, 0u);
  EXPECT_EQ(extent->end, 0u);
  std::vector<LogEntry> entries;
  const Result<std::size_t> got = reader({{kJournal0, 0}})->poll(0, 10, 1000, entries);
  ASSERT_TRUE(got.ok()) << to_string(got.error());
  EXPECT_EQ(*got, 0u);
}

TEST_P(EventLogContract, ItSaysTheLayoutThatItWasOpenedWith) { EXPECT_EQ(log_->layout(), harness_->layout); }

TEST_P(EventLogContract, OffsetsAreContiguousAndFollowTheOrderOfAppends) {
  const std::vector<AppendResult> results = append_all(kJournal0, numbered(1000));
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(results[i].state, AppendState::kDurable) << to_string(results[i].error);
    ASSERT_EQ(results[i].offset, i);
  }
  const std::vector<LogEntry> entries = read(*reader({{kJournal0, 0}}), 1000);
  EXPECT_EQ(payloads_of(entries), numbered(1000));
  for (std::size_t i = 0; i < entries.size(); ++i) ASSERT_EQ(entries[i].offset, i);
}

TEST_P(EventLogContract, CallbacksComeInTheOrderOfAppends) {
  std::vector<int> order;
  std::promise<void> all;
  for (int i = 0; i < 500; ++i) {
    log_->append(kRequests1, "k" + std::to_string(i % 7), "x", [&order, &all, i](const AppendResult&) {
      order.push_back(i);
      if (order.size() == 500) all.set_value();
    });
  }
  all.get_future().wait();
  for (int i = 0; i < 500; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST_P(EventLogContract, ACallbackMayAppend) {
  std::promise<AppendResult> second;
  log_->append(kJournal0, "", "first", [&](const AppendResult&) {
    log_->append(kJournal0, "", "second", [&](const AppendResult& result) { second.set_value(result); });
  });
  EXPECT_EQ(second.get_future().get().offset, 1u);
}

TEST_P(EventLogContract, WhatTheWriterHeardToBeDurableIsReadable) {
  for (int i = 0; i < 20; ++i) {
    const AppendResult result = append_one(kJournal0, "p" + std::to_string(i));
    ASSERT_EQ(result.state, AppendState::kDurable) << to_string(result.error);
    const Result<Extent> extent = log_->extent(kJournal0);
    ASSERT_TRUE(extent.ok());
    ASSERT_EQ(extent->end, result.offset + 1);
    ASSERT_EQ(payloads_of(read(*reader({{kJournal0, result.offset}}), 1)).at(0), "p" + std::to_string(i));
  }
}

TEST_P(EventLogContract, PartitionsCountApart) {
  for (const auto& [partition, payloads] :
       {std::pair(kJournal0, numbered(3, "j")), std::pair(kRequests1, numbered(5, "r"))})
    for (const AppendResult& result : append_all(partition, payloads))
      ASSERT_EQ(result.state, AppendState::kDurable) << to_string(result.error);
  EXPECT_EQ(log_->extent(kJournal0)->end, 3u);
  EXPECT_EQ(log_->extent(kRequests1)->end, 5u);
  EXPECT_EQ(log_->extent({Stream::kRequests, 0})->end, 0u);
}

TEST_P(EventLogContract, AReaderBeginsInTheMiddleOfABatch) {
  append_all(kJournal0, numbered(100));
  const std::vector<LogEntry> entries = read(*reader({{kJournal0, 57}}), 43);
  ASSERT_EQ(entries.size(), 43u);
  EXPECT_EQ(entries.front().offset, 57u);
  EXPECT_EQ(entries.front().payload, "e57");
  EXPECT_EQ(entries.back().payload, "e99");
}

TEST_P(EventLogContract, OneReaderReadsSeveralPartitionsEachInItsOrder) {
  append_all(kJournal0, numbered(40, "j"));
  append_all(kRequests1, numbered(30, "r"));
  append_all(kOrders2, numbered(20, "o"));
  const std::vector<LogEntry> entries = read(*reader({{kJournal0, 0}, {kRequests1, 10}, {kOrders2, 0}}), 80);
  std::map<Partition, std::vector<std::string>> by_partition;
  for (const LogEntry& entry : entries) by_partition[entry.partition].push_back(entry.payload);
  EXPECT_EQ(by_partition[kJournal0], numbered(40, "j"));
  EXPECT_EQ(by_partition[kOrders2], numbered(20, "o"));
  ASSERT_EQ(by_partition[kRequests1].size(), 20u);
  EXPECT_EQ(by_partition[kRequests1].front(), "r10");
}

TEST_P(EventLogContract, TwoReadersDoNotDisturbEachOther) {
  append_all(kJournal0, numbered(50));
  const std::unique_ptr<LogReader> first = reader({{kJournal0, 0}});
  const std::unique_ptr<LogReader> second = reader({{kJournal0, 25}});
  EXPECT_EQ(read(*second, 10).front().payload, "e25");
  EXPECT_EQ(payloads_of(read(*first, 50)), numbered(50));
  EXPECT_EQ(read(*second, 15).back().payload, "e49");
}

TEST_P(EventLogContract, PollKeepsToItsLimits) {
  append_all(kJournal0, std::vector<std::string>(50, std::string(1000, 'x')));
  const std::unique_ptr<LogReader> from = reader({{kJournal0, 0}});
  EXPECT_LE(read(*from, 7).size(), 7u);
  std::vector<LogEntry> entries;
  for (int i = 0; i < 100 && entries.empty(); ++i) ASSERT_TRUE(from->poll(kSecond, 50, 3000, entries).ok());
  EXPECT_GE(entries.size(), 1u);
  EXPECT_LE(entries.size(), 4u);  // about 3,000 bytes
}

TEST_P(EventLogContract, SeekGoesBackAndForward) {
  append_all(kJournal0, numbered(30));
  const std::unique_ptr<LogReader> from = reader({{kJournal0, 0}});
  read(*from, 20);
  from->seek(kJournal0, 5);
  EXPECT_EQ(read(*from, 3).front().payload, "e5");
  from->seek(kJournal0, 28);
  EXPECT_EQ(payloads_of(read(*from, 2)), (std::vector<std::string>{"e28", "e29"}));
}

TEST_P(EventLogContract, APositionAfterTheEndIsOutOfRangeAndStaysPut) {
  append_all(kJournal0, numbered(3));
  const std::unique_ptr<LogReader> from = reader({{kJournal0, 9}});
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::vector<LogEntry> entries;
    Result<std::size_t> got = std::size_t{0};
    for (int i = 0; i < 50 && got.ok() && *got == 0; ++i) got = from->poll(kSecond, 10, 1000, entries);
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().code, "offset-out-of-range");
    EXPECT_NE(got.error().message.find("9"), std::string::npos) << got.error().message;
    EXPECT_NE(got.error().message.find("3"), std::string::npos) << got.error().message;
  }
  from->seek(kJournal0, 1);
  EXPECT_EQ(payloads_of(read(*from, 2)), (std::vector<std::string>{"e1", "e2"}));
}

TEST_P(EventLogContract, ThePositionAtTheEndWaitsForTheNextAppend) {
  append_all(kJournal0, numbered(3));
  const std::unique_ptr<LogReader> from = reader({{kJournal0, 3}});
  std::vector<LogEntry> entries;
  const Result<std::size_t> got = from->poll(0, 10, 1000, entries);
  ASSERT_TRUE(got.ok()) << to_string(got.error());
  append_one(kJournal0, "late");
  EXPECT_EQ(read(*from, 1).at(0).payload, "late");
}

TEST_P(EventLogContract, AnEmptyPayloadIsAPayload) {
  EXPECT_EQ(append_one(kJournal0, "").offset, 0u);
  EXPECT_EQ(append_one(kJournal0, "x").offset, 1u);
  EXPECT_EQ(payloads_of(read(*reader({{kJournal0, 0}}), 2)), (std::vector<std::string>{"", "x"}));
}

TEST_P(EventLogContract, BinaryPayloadsComeBackAsTheyWere) {
  std::string every(256, '\0');
  for (int i = 0; i < 256; ++i) every[static_cast<std::size_t>(i)] = static_cast<char>(i);
  append_one(kJournal0, every);
  EXPECT_EQ(read(*reader({{kJournal0, 0}}), 1).at(0).payload, every);
}

TEST_P(EventLogContract, TheLargestPayloadFits) {
  const std::string large(kPayloadBytesMax, 'L');
  const AppendResult result = append_one(kJournal0, large);
  ASSERT_EQ(result.state, AppendState::kDurable) << to_string(result.error);
  EXPECT_EQ(read(*reader({{kJournal0, 0}}), 1).at(0).payload, large);
}

TEST_P(EventLogContract, ALargerPayloadIsRefusedAndTheNextOneIsTaken) {
  const AppendResult refused = append_one(kJournal0, std::string(kPayloadBytesMax + 1, 'x'));
  EXPECT_EQ(refused.state, AppendState::kFailed);
  EXPECT_EQ(refused.error.code, "payload-too-large");
  const AppendResult next = append_one(kJournal0, "small");
  EXPECT_EQ(next.state, AppendState::kDurable);
  EXPECT_EQ(next.offset, 0u);
}

TEST_P(EventLogContract, ReopeningFindsEverything) {
  append_all(kJournal0, numbered(200));
  append_all(kOrders2, numbered(10, "o"));
  reopen();
  EXPECT_EQ(log_->extent(kJournal0)->end, 200u);
  EXPECT_EQ(payloads_of(read(*reader({{kJournal0, 0}}), 200)), numbered(200));
  EXPECT_EQ(payloads_of(read(*reader({{kOrders2, 0}}), 10)), numbered(10, "o"));
  EXPECT_EQ(append_one(kJournal0, "next").offset, 200u);
}

TEST_P(EventLogContract, ItKnowsWhetherItReachesAProjectionsOffset) {
  append_all(kJournal0, numbered(4));
  EXPECT_TRUE(require_at_least(*log_, kJournal0, 4).ok());
  const Result<void> short_by_one = require_at_least(*log_, kJournal0, 5);
  ASSERT_FALSE(short_by_one.ok());
  EXPECT_EQ(short_by_one.error().code, "log-truncated");
  EXPECT_NE(short_by_one.error().message.find("4"), std::string::npos);
  EXPECT_NE(short_by_one.error().message.find("5"), std::string::npos);
}

inline std::string told(const std::vector<LogEntry>& entries) {
  std::string text;
  for (const LogEntry& entry : entries)
    text += std::to_string(entry.offset) + (entry.gap ? ":gap " : ":" + entry.payload + " ");
  return text;
}

TEST_P(EventLogContract, P30_AnOffsetWithoutARecordIsAGapAndReadingGoesOn) {
  append_one(kRequests1, "a");
  if (!harness_->append_in_transaction(kRequests1, "b")) GTEST_SKIP() << "a log without transactions";
  append_one(kRequests1, "d");
  ASSERT_TRUE(harness_->append_in_transaction(kRequests1, "e"));
  EXPECT_EQ(log_->extent(kRequests1)->end, 6u);
  const std::unique_ptr<LogReader> from = reader({{kRequests1, 0}});
  EXPECT_EQ(told(read(*from, 6)), "0:a 1:b 2:gap 3:d 4:e 5:gap ");
  EXPECT_EQ(append_one(kRequests1, "g").offset, 6u);
  EXPECT_EQ(told(read(*from, 1)), "6:g ");
}

TEST_P(EventLogContract, P30_AReaderMayBeginAtAGap) {
  if (!harness_->append_in_transaction(kJournal0, "a")) GTEST_SKIP() << "a log without transactions";
  EXPECT_EQ(told(read(*reader({{kJournal0, 1}}), 1)), "1:gap ");
  append_one(kJournal0, "c");
  const std::unique_ptr<LogReader> from = reader({{kJournal0, 1}});
  EXPECT_EQ(told(read(*from, 2)), "1:gap 2:c ");
  from->seek(kJournal0, 0);
  EXPECT_EQ(told(read(*from, 3)), "0:a 1:gap 2:c ");
}

TEST_P(EventLogContract, P30_PollKeepsToItsLimitsOverGaps) {
  for (const char* payload : {"a", "c"})
    if (!harness_->append_in_transaction(kJournal0, payload)) GTEST_SKIP() << "a log without transactions";
  const std::unique_ptr<LogReader> from = reader({{kJournal0, 0}});
  std::vector<LogEntry> entries;
  while (entries.size() < 4) {
    const std::size_t before = entries.size();
    ASSERT_TRUE(from->poll(10 * kSecond, 1, 1000, entries).ok());
    ASSERT_EQ(entries.size(), before + 1);
  }
  EXPECT_EQ(told(entries), "0:a 1:gap 2:c 3:gap ");
}

TEST_P(EventLogContract, APartitionOutsideTheLayoutIsAnError) {
  EXPECT_EQ(log_->extent({Stream::kOrders, 3}).error().code, "no-such-partition");
  EXPECT_EQ(log_->open_reader({{{Stream::kReports, 1}, 0}}).error().code, "no-such-partition");
}

TEST_P(EventLogContract, AWaitingReaderSeesAnAppendAsItComes) {
  if (!harness_->threads()) GTEST_SKIP() << "this log never waits";
  const std::unique_ptr<LogReader> from = reader({{kJournal0, 0}});
  std::future<std::vector<LogEntry>> waiting = std::async(std::launch::async, [&] { return read(*from, 1); });
  append_one(kJournal0, "there");
  EXPECT_EQ(waiting.get().at(0).payload, "there");
}

TEST_P(EventLogContract, WakeEndsAWaitAndTheNextPollToo) {
  if (!harness_->threads()) GTEST_SKIP() << "this log never waits";
  const std::unique_ptr<LogReader> from = reader({{kJournal0, 0}});
  const auto start = std::chrono::steady_clock::now();
  std::thread waker([&] { from->wake(); });  // before or during the wait: either way it must end
  std::vector<LogEntry> entries;
  const Result<std::size_t> got = from->poll(60 * kSecond, 10, 1000, entries);
  waker.join();
  EXPECT_TRUE(got.ok()) << to_string(got.error());
  EXPECT_TRUE(entries.empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST_P(EventLogContract, ManyWritersKeepTheirOwnOrder) {
  if (!harness_->threads()) GTEST_SKIP() << "one thread only";
  std::vector<std::thread> writers;
  std::atomic<int> acknowledged{0};
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([this, w, &acknowledged] {
      for (int i = 0; i < 250; ++i) {
        log_->append(kJournal0, "", std::to_string(w) + ":" + std::to_string(i),
                     [&](const AppendResult&) { ++acknowledged; });
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::vector<LogEntry> entries = read(*reader({{kJournal0, 0}}), 1000);
  std::map<std::string, int> next;
  for (const LogEntry& entry : entries) {
    const std::string writer = entry.payload.substr(0, 1);
    ASSERT_EQ(entry.payload, writer + ":" + std::to_string(next[writer]++));
  }
  EXPECT_EQ(entries.size(), 1000u);
  log_.reset();  // hears all callbacks
  EXPECT_EQ(acknowledged, 1000);
}

}  // namespace berth
