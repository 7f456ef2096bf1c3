#include "controller/cell/leader/clock_guard.h"

#include <gtest/gtest.h>

namespace berth::controller {
namespace {

using Verdict = ClockGuard::Verdict;

constexpr Timestamp kBase = 1'700'000'000 * kSecond;
Instant at(Duration wall, Duration boottime) { return {kBase + wall, 100 * kSecond + boottime}; }

TEST(ClockGuard, P16_FollowsASteadyClock) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase - kSecond, false);
  EXPECT_TRUE(clock.may_fire_deadlines());
  EXPECT_EQ(clock.tick(at(kSecond, kSecond)), Verdict::kFine);
  EXPECT_EQ(clock.header_time(at(2 * kSecond, 2 * kSecond)), kBase + 2 * kSecond);
}

TEST(ClockGuard, P16_HeaderTimeNeverFalls) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase, false);
  (void)clock.tick(at(kSecond, kSecond));
  EXPECT_EQ(clock.header_time(at(-kHour, 2 * kSecond)), kBase + kSecond);
}

TEST(ClockGuard, P16_AJumpIsSaidOnceAndNoDeadlineFires) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase, false);
  EXPECT_EQ(clock.tick(at(kHour, kSecond)), Verdict::kJumped);
  EXPECT_EQ(clock.tick(at(kHour + kSecond, 2 * kSecond)), Verdict::kFine);
  EXPECT_FALSE(clock.may_fire_deadlines());
  EXPECT_EQ(clock.header_time(at(kHour, 5 * kSecond)), kBase + 5 * kSecond);
}

TEST(ClockGuard, P16_AgreesAgainWhenTheClockComesBack) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase, false);
  (void)clock.tick(at(kHour, kSecond));
  EXPECT_EQ(clock.tick(at(3 * kSecond, 3 * kSecond)), Verdict::kAgreesAgain);
  EXPECT_TRUE(clock.may_fire_deadlines());
}

TEST(ClockGuard, P16_ASilentJournalIsBelievedOnceSomebodyElsesClockAgrees) {
  ClockGuard clock;
  clock.elected(at(kDay, 0), kBase, false);
  EXPECT_EQ(clock.tick(at(kDay + kSecond, kSecond)), Verdict::kFine);
  EXPECT_FALSE(clock.may_fire_deadlines());
  clock.witness(at(kDay + kSecond, kSecond), kBase + kDay);
  EXPECT_TRUE(clock.may_fire_deadlines());
}

TEST(ClockGuard, P16_AWitnessThatDisagreesMakesItAJump) {
  ClockGuard clock;
  clock.elected(at(kDay, 0), kBase, false);
  clock.witness(at(kDay, 0), kBase + kSecond);
  EXPECT_EQ(clock.tick(at(kDay, kSecond)), Verdict::kJumped);
}

TEST(ClockGuard, P16_AnOperatorsWordEndsIt) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase, false);
  (void)clock.tick(at(kHour, kSecond));
  clock.confirm(at(kHour, 2 * kSecond));
  EXPECT_TRUE(clock.may_fire_deadlines());
  EXPECT_EQ(clock.header_time(at(kHour, 2 * kSecond)), kBase + kHour);
}

}  // namespace
}  // namespace berth::controller
