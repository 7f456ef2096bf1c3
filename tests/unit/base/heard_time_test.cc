// The cluster's time as messages tell it, some of them late.
#include "events/base/time/heard_time.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

// A leader's clock is ahead of the boottime clock by this.
constexpr Duration kAhead = 1'000'000 * kSecond;

TEST(HeardTime, IsThatOfTheFirstMessageCountedOn) {
  HeardTime time;
  EXPECT_FALSE(time.heard());
  time.hear(kAhead + 10 * kSecond, 10 * kSecond);
  EXPECT_TRUE(time.heard());
  EXPECT_EQ(time.ahead(), kAhead);
}

TEST(HeardTime, AMessageThatComesLateSetsItBackByAQuarterOfThePauseAtMost) {
  HeardTime time;
  time.hear(kAhead + 10 * kSecond, 10 * kSecond);
  time.hear(kAhead + 11 * kSecond, 31 * kSecond);  // 20 s late
  EXPECT_EQ(time.ahead(), kAhead - 21 * kSecond / 4);
  time.hear(kAhead + 32 * kSecond, 32 * kSecond);
  EXPECT_EQ(time.ahead(), kAhead);
}

TEST(HeardTime, AfterALongSilenceItIsSetBackByHalfAMinuteAtMost) {
  HeardTime time;
  time.hear(kAhead + 10 * kSecond, 10 * kSecond);
  time.hear(kAhead + 11 * kSecond, kHour);
  EXPECT_EQ(time.ahead(), kAhead - 30 * kSecond);
}

TEST(HeardTime, ALeaderThatIsSlowAndSaysSoIsBelieved) {
  HeardTime time;
  time.hear(kAhead + 10 * kSecond, 10 * kSecond);
  time.hear(kAhead + 11 * kSecond, kHour, true);
  EXPECT_EQ(time.ahead(), kAhead + 11 * kSecond - kHour);
}

}  // namespace
}  // namespace berth
