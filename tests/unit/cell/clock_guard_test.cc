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
  EXPECT_TRUE(clock.may_fire_deadlines(at(0, 0)));
  EXPECT_EQ(clock.tick(at(kSecond, kSecond), 0), Verdict::kFine);
  EXPECT_EQ(clock.header_time(at(2 * kSecond, 2 * kSecond)), kBase + 2 * kSecond);
}

TEST(ClockGuard, P16_HeaderTimeNeverFalls) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase, false);
  (void)clock.tick(at(kSecond, kSecond), 0);
  EXPECT_EQ(clock.header_time(at(-kHour, 2 * kSecond)), kBase + kSecond);
}

TEST(ClockGuard, P16_AJumpIsSaidOnceAndNoDeadlineFires) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase, false);
  EXPECT_EQ(clock.tick(at(kHour, kSecond), 0), Verdict::kJumped);
  EXPECT_EQ(clock.tick(at(kHour + kSecond, 2 * kSecond), 0), Verdict::kFine);
  EXPECT_FALSE(clock.may_fire_deadlines(at(kHour + kSecond, 2 * kSecond)));
  EXPECT_EQ(clock.header_time(at(kHour, 5 * kSecond)), kBase + 5 * kSecond);
}

TEST(ClockGuard, P16_AgreesAgainWhenTheClockComesBack) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase, false);
  (void)clock.tick(at(kHour, kSecond), 0);
  EXPECT_EQ(clock.tick(at(3 * kSecond, 3 * kSecond), 0), Verdict::kAgreesAgain);
  EXPECT_TRUE(clock.may_fire_deadlines(at(3 * kSecond, 3 * kSecond)));
}

TEST(ClockGuard, P16_ASilentJournalIsBelievedOnceSomebodyElsesClockAgrees) {
  ClockGuard clock;
  clock.elected(at(kDay, 0), kBase, false);
  EXPECT_EQ(clock.tick(at(kDay + kSecond, kSecond), 0), Verdict::kFine);
  EXPECT_FALSE(clock.may_fire_deadlines(at(kDay + kSecond, kSecond)));
  clock.witness(at(kDay + kSecond, kSecond), kBase + kDay);
  EXPECT_TRUE(clock.may_fire_deadlines(at(kDay + kSecond, kSecond)));
}

TEST(ClockGuard, P16_AWitnessThatDisagreesMakesItAJump) {
  ClockGuard clock;
  clock.elected(at(kDay, 0), kBase, false);
  clock.witness(at(kDay, 0), kBase + kSecond);
  EXPECT_EQ(clock.tick(at(kDay, kSecond), 0), Verdict::kJumped);
}

TEST(ClockGuard, P16_AnOperatorsWordEndsIt) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase, false);
  (void)clock.tick(at(kHour, kSecond), 0);
  clock.confirm(at(kHour, 2 * kSecond));
  EXPECT_TRUE(clock.may_fire_deadlines(at(kHour, 2 * kSecond)));
  EXPECT_EQ(clock.header_time(at(kHour, 2 * kSecond)), kBase + kHour);
}

// No tick has seen it: what is decided in between must not believe it.
TEST(ClockGuard, P16_AJumpBetweenTwoTicksIsNotBelieved) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase, false);
  (void)clock.tick(at(kSecond, kSecond), 0);
  EXPECT_FALSE(clock.may_fire_deadlines(at(kHour, 2 * kSecond)));
  EXPECT_EQ(clock.header_time(at(kHour, 2 * kSecond)), kBase + 2 * kSecond);
  EXPECT_EQ(clock.tick(at(kHour, 2 * kSecond), 0), Verdict::kJumped);
}

// A step of 50 s before each tick: each alone is small.
TEST(ClockGuard, P16_SmallStepsDoNotAddUp) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase, false);
  bool jumped = false;
  for (int i = 1; i <= 10; ++i) {
    const Instant now = at(i * 50 * kSecond, i * kSecond);
    jumped = jumped || clock.tick(now, 0) == Verdict::kJumped;
    EXPECT_LE(clock.header_time(now), kBase + i * kSecond + kClockTolerance);
  }
  EXPECT_TRUE(jumped);
}

// Beats of `agreeing` of three agents, each second for `time`; the wall clock runs `ahead` of what it was
// trusted to be, and theirs do too if they agree.
void hear(ClockGuard& clock, Duration ahead, Duration from, Duration time, int agreeing) {
  for (Duration passed = from; passed <= from + time; passed += kSecond) {
    const Instant now = at(ahead + passed, passed);
    (void)clock.tick(now, 3);
    for (int agent = 0; agent < 3; ++agent)
      clock.beat(now, "a" + std::to_string(agent), agent < agreeing ? now.wall : now.wall - ahead);
  }
}

TEST(ClockGuard, P16_AClockThatMostAgentsAgreeWithForAMinuteIsBelievedAgain) {
  for (const int agreeing : {1, 2}) {
    ClockGuard clock;
    clock.elected(at(0, 0), kBase, false);
    EXPECT_EQ(clock.tick(at(kHour, kSecond), 3), Verdict::kJumped);
    hear(clock, kHour, 2 * kSecond, 2 * kMinute, agreeing);
    EXPECT_EQ(clock.may_fire_deadlines(at(kHour + 200 * kSecond, 200 * kSecond)), agreeing == 2);
  }
}

TEST(ClockGuard, P16_AMinuteInWhichTheClockStepsRenewsNothing) {
  ClockGuard clock;
  clock.elected(at(0, 0), kBase, false);
  hear(clock, 0, kSecond, 50 * kSecond, 3);
  hear(clock, 50 * kSecond, 52 * kSecond, 50 * kSecond, 3);  // agents' clocks step with it
  hear(clock, 100 * kSecond, 103 * kSecond, 10 * kSecond, 3);
  EXPECT_FALSE(clock.may_fire_deadlines(at(214 * kSecond, 114 * kSecond)));
}

}  // namespace
}  // namespace berth::controller
