#include "controller/cell/leader/clock_guard.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace berth::controller {
namespace {

using Verdict = ClockGuard::Verdict;

constexpr Timestamp kBase = 1'700'000'000 * kSecond;
Instant at(Duration wall, Duration boottime) { return {kBase + wall, 100 * kSecond + boottime}; }

TEST(ClockGuard, P16_FollowsASteadyClock) {
  ClockGuard clock;
  clock.elected(at(0, 0), {.last_header = kBase - kSecond});
  EXPECT_TRUE(clock.may_fire_deadlines(at(0, 0)));
  EXPECT_EQ(clock.tick(at(kSecond, kSecond), 0), Verdict::kFine);
  EXPECT_EQ(clock.header_time(at(2 * kSecond, 2 * kSecond)), kBase + 2 * kSecond);
}

// 2 h fast, then set right: time neither falls nor stands still, and the clock has caught up after 8 h.
TEST(ClockGuard, P16_AClockThatWasAheadAndIsSetRightIsFollowedSlowly) {
  ClockGuard clock;
  clock.elected(at(2 * kHour, 0), {});
  std::vector<std::pair<Duration, Verdict>> said;
  Timestamp last = kBase + 2 * kHour;
  for (Duration passed = kSecond; passed <= 9 * kHour; passed += kSecond) {
    if (const Verdict verdict = clock.tick(at(passed, passed), 1); verdict != Verdict::kFine)
      said.emplace_back(passed, verdict);
    const Timestamp time = clock.header_time(at(passed, passed));
    EXPECT_GE(time - last, kSecond * 3 / 4 - 1);
    EXPECT_LE(time - last, kSecond);
    EXPECT_TRUE(clock.may_fire_deadlines(at(passed, passed)));
    last = time;
  }
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0], std::pair(kSecond, Verdict::kBehind));
  EXPECT_EQ(said[1].second, Verdict::kAgreesAgain);
  EXPECT_GE(said[1].first, 8 * kHour - kMinute);
  EXPECT_LE(said[1].first, 8 * kHour + kMinute);
  EXPECT_EQ(last, kBase + 9 * kHour);
}

// Nothing is said of seconds: time services do such steps.
TEST(ClockGuard, P16_ASmallStepBackIsFollowedSlowlyAndNotSaid) {
  ClockGuard clock;
  clock.elected(at(0, 0), {.last_header = kBase});
  for (Duration passed = kSecond; passed < 10 * kMinute; passed += kSecond)
    EXPECT_EQ(clock.tick(at(passed - 50 * kSecond, passed), 0), Verdict::kFine);
  EXPECT_EQ(clock.header_time(at(560 * kSecond, 610 * kSecond)), kBase + 560 * kSecond) << "it has caught up";
}

TEST(ClockGuard, P16_TheNextLeaderGoesOnSlowlyAndSaysNothingAgain) {
  ClockGuard clock;
  clock.elected(at(0, 0), {.last_header = kBase + 2 * kHour, .behind = true});
  EXPECT_EQ(clock.tick(at(kSecond, kSecond), 0), Verdict::kFine);
  EXPECT_EQ(clock.header_time(at(4 * kSecond, 4 * kSecond)), kBase + 2 * kHour + 3 * kSecond);
}

// Ahead, set right, ahead again and believed again: it is behind as before, and that is said.
TEST(ClockGuard, P16_TheEndOfAJumpDoesNotHideThatTheClockIsBehind) {
  ClockGuard clock;
  clock.elected(at(2 * kHour, 0), {});
  EXPECT_EQ(clock.tick(at(kSecond, kSecond), 0), Verdict::kBehind);
  EXPECT_EQ(clock.tick(at(kDay, 2 * kSecond), 0), Verdict::kJumped);
  EXPECT_EQ(clock.tick(at(3 * kSecond, 3 * kSecond), 0), Verdict::kBehind);
  EXPECT_EQ(clock.tick(at(4 * kSecond, 4 * kSecond), 0), Verdict::kFine);
}

// What an operator has confirmed was an hour.
TEST(ClockGuard, P16_AClockThatIsSetBackFurtherIsSaidAgain) {
  ClockGuard clock;
  clock.elected(at(kHour, 0), {});
  EXPECT_EQ(clock.tick(at(kSecond, kSecond), 0), Verdict::kBehind);
  clock.confirm(at(2 * kSecond, 2 * kSecond));
  EXPECT_EQ(clock.tick(at(3 * kSecond, 3 * kSecond), 0), Verdict::kFine);
  EXPECT_EQ(clock.tick(at(-30 * kDay, 4 * kSecond), 0), Verdict::kBehind);
  EXPECT_EQ(clock.tick(at(-30 * kDay + kSecond, 5 * kSecond), 0), Verdict::kFine);
}

// Its own API, with the same wrong clock, asks at once; but it has heard the leader before a moment ago.
TEST(ClockGuard, P16_AStandbyWithAWrongClockIsNotBelievedOnTheWordOfItsOwn) {
  ClockGuard clock;
  clock.elected(at(10 * kMinute, 0), {.last_header = kBase - 20 * kSecond, .heard = kBase});
  clock.witness(at(10 * kMinute, kSecond), kBase + 10 * kMinute + kSecond);
  EXPECT_EQ(clock.tick(at(10 * kMinute + kSecond, kSecond), 1), Verdict::kJumped);
  EXPECT_FALSE(clock.may_fire_deadlines(at(10 * kMinute + kSecond, kSecond)));
  EXPECT_EQ(clock.header_time(at(10 * kMinute + kSecond, kSecond)), kBase + kSecond) << "as was told before";
}

TEST(ClockGuard, P16_AnOperatorsWordOfAClockThatIsBehindMakesNoTimeFall) {
  ClockGuard clock;
  clock.elected(at(0, 0), {.last_header = kBase + 2 * kHour});
  EXPECT_EQ(clock.tick(at(kSecond, kSecond), 0), Verdict::kBehind);
  clock.confirm(at(4 * kSecond, 4 * kSecond));
  EXPECT_GE(clock.header_time(at(4 * kSecond, 4 * kSecond)), kBase + 2 * kHour + 3 * kSecond);
  EXPECT_EQ(clock.tick(at(5 * kSecond, 5 * kSecond), 0), Verdict::kFine) << "said once";
}

TEST(ClockGuard, P16_AJumpIsSaidOnceAndNoDeadlineFires) {
  ClockGuard clock;
  clock.elected(at(0, 0), {.last_header = kBase});
  EXPECT_EQ(clock.tick(at(kHour, kSecond), 0), Verdict::kJumped);
  EXPECT_EQ(clock.tick(at(kHour + kSecond, 2 * kSecond), 0), Verdict::kFine);
  EXPECT_FALSE(clock.may_fire_deadlines(at(kHour + kSecond, 2 * kSecond)));
  EXPECT_EQ(clock.header_time(at(kHour, 5 * kSecond)), kBase + 5 * kSecond);
}

TEST(ClockGuard, P16_AgreesAgainWhenTheClockComesBack) {
  ClockGuard clock;
  clock.elected(at(0, 0), {.last_header = kBase});
  (void)clock.tick(at(kHour, kSecond), 0);
  EXPECT_EQ(clock.tick(at(3 * kSecond, 3 * kSecond), 0), Verdict::kAgreesAgain);
  EXPECT_TRUE(clock.may_fire_deadlines(at(3 * kSecond, 3 * kSecond)));
}

TEST(ClockGuard, P16_ASilentJournalIsBelievedOnceSomebodyElsesClockAgrees) {
  ClockGuard clock;
  clock.elected(at(kDay, 0), {.last_header = kBase});
  EXPECT_EQ(clock.tick(at(kDay + kSecond, kSecond), 0), Verdict::kFine);
  EXPECT_FALSE(clock.may_fire_deadlines(at(kDay + kSecond, kSecond)));
  clock.witness(at(kDay + kSecond, kSecond), kBase + kDay);
  EXPECT_TRUE(clock.may_fire_deadlines(at(kDay + kSecond, kSecond)));
}

TEST(ClockGuard, P16_AWitnessThatDisagreesMakesItAJump) {
  ClockGuard clock;
  clock.elected(at(kDay, 0), {.last_header = kBase});
  clock.witness(at(kDay, 0), kBase + kSecond);
  EXPECT_EQ(clock.tick(at(kDay, kSecond), 0), Verdict::kJumped);
}

TEST(ClockGuard, P16_AnOperatorsWordEndsIt) {
  ClockGuard clock;
  clock.elected(at(0, 0), {.last_header = kBase});
  (void)clock.tick(at(kHour, kSecond), 0);
  clock.confirm(at(kHour, 2 * kSecond));
  EXPECT_TRUE(clock.may_fire_deadlines(at(kHour, 2 * kSecond)));
  EXPECT_EQ(clock.header_time(at(kHour, 2 * kSecond)), kBase + kHour);
}

// No tick has seen it: what is decided in between must not believe it.
TEST(ClockGuard, P16_AJumpBetweenTwoTicksIsNotBelieved) {
  ClockGuard clock;
  clock.elected(at(0, 0), {.last_header = kBase});
  (void)clock.tick(at(kSecond, kSecond), 0);
  EXPECT_FALSE(clock.may_fire_deadlines(at(kHour, 2 * kSecond)));
  EXPECT_EQ(clock.header_time(at(kHour, 2 * kSecond)), kBase + 2 * kSecond);
  EXPECT_EQ(clock.tick(at(kHour, 2 * kSecond), 0), Verdict::kJumped);
}

// A step of 50 s before each tick: each alone is small.
TEST(ClockGuard, P16_SmallStepsDoNotAddUp) {
  ClockGuard clock;
  clock.elected(at(0, 0), {.last_header = kBase});
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
      clock.beat(now, "a" + std::to_string(agent), agent < agreeing ? now.wall : now.wall - ahead, false);
  }
}

TEST(ClockGuard, P16_AClockThatMostAgentsAgreeWithForAMinuteIsBelievedAgain) {
  for (const int agreeing : {1, 2}) {
    ClockGuard clock;
    clock.elected(at(0, 0), {.last_header = kBase});
    EXPECT_EQ(clock.tick(at(kHour, kSecond), 3), Verdict::kJumped);
    hear(clock, kHour, 2 * kSecond, 2 * kMinute, agreeing);
    EXPECT_EQ(clock.may_fire_deadlines(at(kHour + 200 * kSecond, 200 * kSecond)), agreeing == 2);
  }
}

// The agent of `berth up` has the controller's own clock, whatever that says.
TEST(ClockGuard, P16_AnAgentOfTheSameMachineIsNoWitness) {
  for (const bool same_machine : {true, false}) {
    ClockGuard clock;
    clock.elected(at(0, 0), {.last_header = kBase});
    for (Duration passed = kSecond; passed <= 3 * kMinute; passed += kSecond) {
      const Instant now = at(3 * kHour + passed, passed);
      (void)clock.tick(now, 1);
      clock.beat(now, "a1", now.wall, same_machine);
    }
    EXPECT_EQ(clock.may_fire_deadlines(at(3 * kHour + 200 * kSecond, 200 * kSecond)), !same_machine);
  }
}

TEST(ClockGuard, P16_AgentsOfTheSameMachineAreNotCountedAmongThoseThatMustAgree) {
  ClockGuard clock;
  clock.elected(at(0, 0), {.last_header = kBase});
  for (Duration passed = kSecond; passed <= 3 * kMinute; passed += kSecond) {
    const Instant now = at(3 * kHour + passed, passed);
    (void)clock.tick(now, 4);
    clock.beat(now, "far", now.wall, false);
    for (const char* near : {"a1", "a2", "a3"}) clock.beat(now, near, now.wall, true);
  }
  EXPECT_TRUE(clock.may_fire_deadlines(at(3 * kHour + 200 * kSecond, 200 * kSecond)));
}

TEST(ClockGuard, P16_AMinuteInWhichTheClockStepsRenewsNothing) {
  ClockGuard clock;
  clock.elected(at(0, 0), {.last_header = kBase});
  hear(clock, 0, kSecond, 50 * kSecond, 3);
  hear(clock, 50 * kSecond, 52 * kSecond, 50 * kSecond, 3);  // agents' clocks step with it
  hear(clock, 100 * kSecond, 103 * kSecond, 10 * kSecond, 3);
  EXPECT_FALSE(clock.may_fire_deadlines(at(214 * kSecond, 114 * kSecond)));
}

}  // namespace
}  // namespace berth::controller
