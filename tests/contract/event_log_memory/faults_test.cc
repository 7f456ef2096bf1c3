// What the simulator can do to the memory log.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "events/log/memory_faults.h"
#include "events/log/memory_log.h"

namespace berth {
namespace {

constexpr Partition kJournal{Stream::kJournal, 0};

class MemoryLogUnderFaults : public ::testing::Test {
 protected:
  void append(EventLog& client, const std::string& payload) {
    client.append(kJournal, "", payload, [this, payload](const AppendResult& result) {
      heard_.emplace_back(payload, result.state);
    });
  }
  std::uint64_t id(std::size_t index) const { return server_->in_flight().at(index).id; }
  std::string contents() const {
    std::string all;
    const Extent extent = server_->extent(kJournal);
    for (Offset at = extent.begin; at < extent.end; ++at) all += server_->payload_at(kJournal, at);
    return all;
  }

  std::shared_ptr<MemoryLogServer> server_ = MemoryLogServer::create({}, MemoryLogMode::kManual);
  std::unique_ptr<EventLog> client_ = server_->connect();
  std::vector<std::pair<std::string, AppendState>> heard_;
};

TEST_F(MemoryLogUnderFaults, NothingIsReadableBeforeItLands) {
  append(*client_, "a");
  EXPECT_EQ(client_->extent(kJournal)->end, 0u);
  EXPECT_TRUE(server_->land(id(0)));
  EXPECT_EQ(client_->extent(kJournal)->end, 1u);
  EXPECT_TRUE(heard_.empty());
  EXPECT_TRUE(server_->acknowledge(id(0)));
  EXPECT_EQ(heard_.at(0).second, AppendState::kDurable);
  EXPECT_TRUE(server_->in_flight().empty());
}

TEST_F(MemoryLogUnderFaults, AnAppendDoesNotOvertakeAnotherOfTheSameClient) {
  append(*client_, "a");
  append(*client_, "b");
  EXPECT_FALSE(server_->land(id(1)));
  EXPECT_FALSE(server_->report(id(1), AppendState::kFailed, {}));
  const std::unique_ptr<EventLog> other = server_->connect();
  append(*other, "c");
  EXPECT_TRUE(server_->land(id(2)));  // clients among each other have no order
  server_->pump();
  EXPECT_EQ(contents(), "cab");
}

TEST_F(MemoryLogUnderFaults, AFailedAppendIsNeverThereAndTheNextOneMayBe) {
  append(*client_, "a");
  append(*client_, "b");
  EXPECT_TRUE(server_->report(id(0), AppendState::kFailed, {}));
  server_->pump();
  EXPECT_EQ(contents(), "b");
  EXPECT_EQ(heard_.at(0).second, AppendState::kFailed);
}

TEST_F(MemoryLogUnderFaults, AnUnknownAppendMayLandAfterLaterOnes) {
  append(*client_, "a");
  append(*client_, "b");
  const std::uint64_t stray = id(0);
  EXPECT_TRUE(server_->report(stray, AppendState::kUnknown, {}));
  server_->pump();
  EXPECT_TRUE(server_->land(stray));
  EXPECT_EQ(contents(), "ba");
  EXPECT_EQ(heard_.size(), 2u);
}

TEST_F(MemoryLogUnderFaults, AnAppendThatLandedMayBeReportedUnknown) {
  append(*client_, "a");
  server_->land(id(0));
  EXPECT_TRUE(server_->report(id(0), AppendState::kUnknown, {}));
  EXPECT_EQ(contents(), "a");
  EXPECT_EQ(heard_.at(0).second, AppendState::kUnknown);
}

TEST_F(MemoryLogUnderFaults, ADuplicateIsThereTwiceAndIsHeardOnce) {
  append(*client_, "a");
  server_->land(id(0));
  EXPECT_TRUE(server_->duplicate(id(0)));
  server_->pump();
  EXPECT_EQ(contents(), "aa");
  EXPECT_EQ(heard_.size(), 1u);
}

TEST_F(MemoryLogUnderFaults, ACrashedClientsAppendsMayOrMayNotLandAndNobodyIsCalled) {
  append(*client_, "a");
  append(*client_, "b");
  client_.reset();
  EXPECT_TRUE(server_->drop(id(0)));
  EXPECT_TRUE(server_->land(id(0)));
  EXPECT_EQ(contents(), "b");
  EXPECT_TRUE(heard_.empty());
}

TEST_F(MemoryLogUnderFaults, TheTailIsLostAfterItWasAcknowledgedAndRead) {
  for (const char* payload : {"a", "b", "c"}) append(*client_, payload);
  server_->pump();
  const std::unique_ptr<LogReader> reader = std::move(*client_->open_reader({{kJournal, 0}}));
  std::vector<LogEntry> entries;
  EXPECT_EQ(*reader->poll(0, 10, 1000, entries), 3u);
  server_->truncate(kJournal, 1);
  EXPECT_EQ(reader->poll(0, 10, 1000, entries).error().code, "offset-out-of-range");
  append(*client_, "d");
  server_->pump();
  EXPECT_EQ(contents(), "ad");
}

TEST_F(MemoryLogUnderFaults, RetentionMakesOldPositionsOutOfRange) {
  for (const char* payload : {"a", "b", "c"}) append(*client_, payload);
  server_->pump();
  server_->retain(kJournal, 2);
  const std::unique_ptr<LogReader> reader = std::move(*client_->open_reader({{kJournal, 1}}));
  std::vector<LogEntry> entries;
  EXPECT_EQ(reader->poll(0, 10, 1000, entries).error().code, "offset-out-of-range");
  reader->seek(kJournal, 2);
  EXPECT_EQ(*reader->poll(0, 10, 1000, entries), 1u);
  EXPECT_EQ(entries.at(0).payload, "c");
}

TEST_F(MemoryLogUnderFaults, TheSameSeedGivesTheSameLog) {
  std::string first;
  for (int run = 0; run < 2; ++run) {
    const auto server = MemoryLogServer::create({}, MemoryLogMode::kManual);
    const auto client = server->connect();
    Rng rng(7);
    for (int i = 0; i < 300; ++i) {
      client->append(kJournal, "", std::to_string(i) + " ", {});
      advance(*server, rng, {.progress = 600, .fail = 50, .unknown = 100, .duplicate = 50});
    }
    std::string all;
    for (Offset at = 0; at < server->extent(kJournal).end; ++at) all += server->payload_at(kJournal, at);
    if (run == 0) first = all;
    EXPECT_EQ(first, all);
  }
  EXPECT_NE(first.find("1"), std::string::npos);
}

TEST_F(MemoryLogUnderFaults, EveryAppendIsHeardExactlyOnceWhateverTheFaults) {
  Rng rng(11);
  for (int i = 0; i < 500; ++i) {
    append(*client_, std::to_string(i));
    advance(*server_, rng, {.progress = 500, .fail = 100, .unknown = 100, .duplicate = 100});
  }
  server_->pump();
  ASSERT_EQ(heard_.size(), 500u);
  for (int i = 0; i < 500; ++i)
    EXPECT_EQ(heard_[static_cast<std::size_t>(i)].first, std::to_string(i));  // in append order
}

}  // namespace
}  // namespace berth
