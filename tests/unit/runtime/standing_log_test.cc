// A log that stands still: what is known to be in it is waited for, and then is said to be out of reach.
#include <gtest/gtest.h>

#include "tests/unit/runtime/node_rig.h"

namespace berth::testing {
namespace {

class StandingLog : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(rig_.start());
    ASSERT_TRUE(rig_.define());
  }
  ThreadedMemoryLog log_;
  TempDir folder_;
  NodeRig rig_{log_, folder_.path()};
};

TEST_F(StandingLog, APageOfWhatIsKnownToBeThereIsNotEmpty) {
  for (const bool says_so : {false, true}) {
    log_.stand_still(Stream::kJournal, says_so);
    const auto page = rig_.api().read_journal(0, 10, 1u << 20);
    ASSERT_FALSE(page) << "a page up to " << page->next;
    EXPECT_EQ(page.error().code, "log-unavailable");
    const auto raw = rig_.api().read_raw_journal(0, 10, 1u << 20);
    ASSERT_FALSE(raw) << "a page of " << raw->entries.size();
    EXPECT_EQ(raw.error().code, "log-unavailable");
  }
}

TEST_F(StandingLog, AtItsKnownEndNothingIsWaitedFor) {
  log_.stand_still(Stream::kJournal);
  const Offset end = rig_.node().next();
  const auto page = rig_.api().read_journal(end, 10, 1u << 20);
  ASSERT_TRUE(page) << to_string(page.error());
  EXPECT_EQ(page->next, end);
  const auto raw = rig_.api().read_raw_journal(log_.extent(kJournal)->end, 10, 1u << 20);
  ASSERT_TRUE(raw) << to_string(raw.error());
  EXPECT_TRUE(raw->entries.empty());
}

TEST_F(StandingLog, ThatGoesOnInTimeIsNotSaidToStandStill) {
  log_.stand_still(Stream::kJournal);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));  // of the 2 s that are waited
    log_.goes_on();
  });
  const auto page = rig_.api().read_journal(0, 10, 1u << 20);
  later.join();
  ASSERT_TRUE(page) << to_string(page.error());
  EXPECT_FALSE(page->records.empty());
}

// The log says so itself: its end lies below what was read of it.
TEST_F(StandingLog, ThatLostItsTailIsTruncated) {
  rig_.node().stop();  // follows the log no more
  const Offset end = rig_.node().next();
  log_.truncate(kJournal, end - 2);
  const auto page = rig_.api().read_journal(end - 1, 10, 1u << 20);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, "log-truncated");
}

}  // namespace
}  // namespace berth::testing
