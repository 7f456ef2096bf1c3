#include "events/log/kafka/ends.h"

#include <gtest/gtest.h>

namespace berth::kafka {
namespace {

constexpr Partition kJournal{Stream::kJournal, 0};
constexpr std::chrono::milliseconds kMoment{100};
constexpr Ends::SteadyTime kNow{};

TEST(Ends, ABrokerThatStoodStillIsNotBelieved) {
  Ends ends;
  ends.reached(kJournal, 10);
  EXPECT_FALSE(ends.believes(kJournal, 5, kNow));
  EXPECT_TRUE(ends.believes(kJournal, 12, kNow + kMoment)) << "the one that leads";
  EXPECT_FALSE(ends.believes(kJournal, 5, kNow + Ends::kShorterFor))
      << "counted anew, and from what was told";
  EXPECT_FALSE(ends.believes(kJournal, 11, kNow + Ends::kShorterFor + kMoment));
}

TEST(Ends, AnEndThatEachLeaderTellsForAWhileIsBelieved) {
  Ends ends;
  ends.reached(kJournal, 10);
  EXPECT_FALSE(ends.believes(kJournal, 5, kNow));
  EXPECT_FALSE(ends.believes(kJournal, 5, kNow + Ends::kShorterFor - kMoment));
  EXPECT_TRUE(ends.believes(kJournal, 5, kNow + Ends::kShorterFor));
  EXPECT_TRUE(ends.believes(kJournal, 5, kNow + Ends::kShorterFor)) << "known as such from then on";
}

TEST(Ends, OfOtherPartitionsNothingFollows) {
  Ends ends;
  ends.reached(kJournal, 10);
  EXPECT_TRUE(ends.believes({Stream::kRequests, 0}, 5, kNow));
}

}  // namespace
}  // namespace berth::kafka
