// What a new leader is told of the last inputs in their streams (P13, P30).
#include "controller/runtime/input_feed.h"

#include <gtest/gtest.h>

#include <map>

#include "events/base/hash.h"
#include "tests/support/log/threaded_memory_log.h"

namespace berth::controller {
namespace {

constexpr Partition kRequests{Stream::kRequests, 0};

class Feed : public ::testing::Test {
 protected:
  void append(const std::string& payload) { log_.append(kRequests, "", payload, {}); }
  // The answer to one check. REQUIRES: called once.
  InputChecked checked(Offset next, const std::string& last,
                       const std::vector<std::pair<Offset, std::string>>& marks = {}) {
    EXPECT_TRUE(feed_.start());
    CheckInput check{kRequests, next, crc32c(last)};
    for (const auto& [mark, input] : marks) check.marks.push_back({0, mark, crc32c(input)});
    feed_.check({check});
    std::vector<Input> inputs;
    while (inputs.empty()) queue_.take(kSecond, inputs);
    feed_.stop();
    return std::get<InputChecked>(inputs.front());
  }

  ThreadedMemoryLog log_{{.requests = 1, .reports = 1, .orders = 1}};
  CoreQueue queue_;
  InputFeed feed_{log_, queue_};
};

TEST_F(Feed, P13_TheLastInputIsTheSame) {
  for (const char* payload : {"a", "b"}) append(payload);
  EXPECT_TRUE(checked(2, "b").same);
}

TEST_F(Feed, P13_AnotherInputInItsPlaceIsNoticed) {
  for (const char* payload : {"a", "c"}) append(payload);
  EXPECT_FALSE(checked(2, "b").same);
}

TEST_F(Feed, P30_TheLastInputIsFoundBelowGaps) {
  for (const char* payload : {"a", "b"}) append(payload);
  for (int i = 0; i < 100; ++i) log_.add_gap(kRequests);
  EXPECT_TRUE(checked(102, "b").same);
}

TEST_F(Feed, P30_AnotherInputBelowGapsIsNoticed) {
  for (const char* payload : {"b", "a"}) append(payload);
  for (int i = 0; i < 5; ++i) log_.add_gap(kRequests);
  EXPECT_FALSE(checked(7, "b").same);
}

TEST_F(Feed, P30_AStreamOfGapsAloneIsNotWhatWasRead) {
  for (int i = 0; i < 7; ++i) log_.add_gap(kRequests);
  EXPECT_FALSE(checked(7, "b").same);
}

// Nobody knows what a stream holds that stands still: the check waits for it, and nothing is rewound.
TEST_F(Feed, P13_AStreamThatStandsStillIsNotAnotherOne) {
  for (const char* payload : {"a", "b"}) append(payload);
  log_.stand_still(kRequests.stream, true);
  ASSERT_TRUE(feed_.start());
  feed_.check({{kRequests, 2, crc32c("b")}});
  std::vector<Input> inputs;
  queue_.take(300 * kMillisecond, inputs);
  EXPECT_TRUE(inputs.empty()) << "an answer while nothing was read";
  log_.goes_on();
  while (inputs.empty()) queue_.take(kSecond, inputs);
  EXPECT_TRUE(std::get<InputChecked>(inputs.front()).same);
}

// The next check is for another leadership: the one before is not waited for any more.
TEST_F(Feed, P13_ACheckThatWaitsForItsStreamGivesWayToTheNextOne) {
  append("a");
  log_.stand_still(kRequests.stream);
  ASSERT_TRUE(feed_.start());
  feed_.check({{kRequests, 1, crc32c("a")}});
  std::vector<Input> none;
  queue_.take(100 * kMillisecond, none);
  EXPECT_TRUE(none.empty());
  feed_.check({{kRequests, 0, 0}});  // nothing is to be read for it
  std::vector<Input> inputs;
  while (inputs.empty()) queue_.take(kSecond, inputs);
  EXPECT_TRUE(std::get<InputChecked>(inputs.front()).same);
  log_.goes_on();
}

// A rewind leads to the stream's beginning, and no input was taken since. A stream that begins below it is
// another one.
TEST_F(Feed, P35_AStreamThatBeginsBelowItsRewindIsAnotherOne) {
  for (const char* payload : {"a", "b", "c"}) append(payload);
  EXPECT_FALSE(checked(2, "").same);
}

TEST_F(Feed, P13_AStreamThatLostItsEndIsReadAgainFromTheNewestMarkBelowWhichItIsTheSame) {
  for (const char* payload : {"a", "b", "c", "x", "y", "z"}) append(payload);
  const InputChecked told = checked(6, "f", {{1, "a"}, {3, "c"}, {5, "e"}});
  EXPECT_FALSE(told.same);
  EXPECT_EQ(told.begin, 3u);
}

TEST_F(Feed, P13_AStreamThatEndsBelowItsLastInputIsReadAgainFromAMark) {
  for (const char* payload : {"a", "b", "c"}) append(payload);
  const InputChecked told = checked(9, "f", {{1, "a"}, {2, "b"}, {5, "e"}});
  EXPECT_FALSE(told.same);
  EXPECT_EQ(told.begin, 2u);
}

TEST_F(Feed, P30_AMarkIsComparedBelowGaps) {
  for (const char* payload : {"a", "b"}) append(payload);
  for (int i = 0; i < 20; ++i) log_.add_gap(kRequests);
  append("x");
  const InputChecked told = checked(23, "f", {{1, "a"}, {22, "b"}});
  EXPECT_FALSE(told.same);
  EXPECT_EQ(told.begin, 22u);
}

TEST_F(Feed, P13_AStreamThatIsTheSameAtNoMarkIsReadFromItsBeginning) {
  for (const char* payload : {"x", "y", "z"}) append(payload);
  const InputChecked told = checked(3, "c", {{1, "a"}, {2, "b"}});
  EXPECT_FALSE(told.same);
  EXPECT_EQ(told.begin, 0u);
}

std::vector<SeekInput> all_from_their_beginning(const LogLayout& layout) {
  std::vector<SeekInput> seeks;
  for (const Stream stream : {Stream::kRequests, Stream::kReports})
    for (std::uint32_t number = 0; number < layout.partitions_of(stream); ++number)
      seeks.push_back({{stream, number}, 0});
  return seeks;
}

TEST(InputFeed, F15_AReaderThatDoesNotOpenIsOpenedAgainUntilItDoes) {
  ThreadedMemoryLog log;
  CoreQueue queue;
  InputFeed feed(log, queue);
  ASSERT_TRUE(feed.start());
  log.fail_opens(Stream::kRequests, 2);
  log.append({Stream::kRequests, 2}, {}, "an input", {});
  feed.seek(all_from_their_beginning(log.layout()));
  std::vector<Input> inputs;
  queue.take(30 * kSecond, inputs);
  ASSERT_EQ(inputs.size(), 1u);
  ASSERT_TRUE(std::holds_alternative<InputRead>(inputs[0]));
  EXPECT_EQ(std::get<InputRead>(inputs[0]).entry.payload, "an input");
}

}  // namespace
}  // namespace berth::controller
