// A stream of the memory log that is out of reach for a while.
#include <gtest/gtest.h>

#include "events/log/log_errors.h"
#include "events/log/memory_log.h"

namespace berth {
namespace {

constexpr Partition kRequest{Stream::kRequests, 0}, kHealth{Stream::kHealth, 0};

struct Reachable : testing::Test {
  std::shared_ptr<MemoryLogServer> server = MemoryLogServer::create({}, MemoryLogMode::kManual);
  std::unique_ptr<EventLog> log = server->connect();
  std::unique_ptr<LogReader> reader = std::move(*log->open_reader({{kRequest, 0}, {kHealth, 0}}));
  std::vector<LogEntry> entries;
};

TEST_F(Reachable, WhatIsAppendedMeanwhileLandsWhenTheStreamIsBack) {
  server->set_reachable(Stream::kRequests, false);
  log->append(kRequest, {}, "r", {});
  const std::uint64_t id = server->in_flight().front().id;
  EXPECT_FALSE(server->land(id));
  server->set_reachable(Stream::kRequests, true);
  EXPECT_TRUE(server->land(id));
  EXPECT_EQ(server->extent(kRequest).end, 1u);
}

TEST_F(Reachable, AReaderGetsWhatOtherStreamsHave) {
  server->put(kRequest, "r");
  server->put(kHealth, "h");
  server->set_reachable(Stream::kRequests, false);
  ASSERT_TRUE(reader->poll(0, 10, 1000, entries));
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].payload, "h");
}

TEST_F(Reachable, WhereNothingCanBeReadTheLogSaysThatItIsUnavailable) {
  server->put(kRequest, "r");
  server->set_reachable(Stream::kRequests, false);
  const auto polled = reader->poll(0, 10, 1000, entries);
  ASSERT_FALSE(polled);
  EXPECT_TRUE(is_log_unavailable(polled.error()));
  EXPECT_TRUE(is_log_unavailable(log->extent(kRequest).error()));
}

}  // namespace
}  // namespace berth
