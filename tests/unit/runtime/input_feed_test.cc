#include "controller/runtime/input_feed.h"

#include <gtest/gtest.h>

#include "tests/support/log/threaded_memory_log.h"

namespace berth::testing {
namespace {

using controller::CoreQueue;
using controller::Input;
using controller::InputFeed;
using controller::InputRead;
using controller::SeekInput;

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
}  // namespace berth::testing
