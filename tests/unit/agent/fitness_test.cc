// An agent that can start no kernel joins as unfit, and joins anew when that changes.
#include "agents/core/fitness.h"

#include <algorithm>

#include "tests/unit/agent/agent_fixture.h"

namespace berth::agents {
namespace {

const Error kBroken = make_error("start-failed", "runc: no\nsuch \x1b[31mcgroup");

class FitnessOfAgent : public AgentTest {
 protected:
  FitnessOfAgent() {
    profile.tries = true;
    make();
  }
  void trial_fails(const Error& why = kBroken) { when(TrialDone{why}); }
  void trial_succeeds() { when(TrialDone{210 * kMillisecond}); }
  std::size_t trials() const { return commands<TrialCommand>().size(); }
  // As time passes for an agent whose beats are acknowledged; how many trials it began meanwhile.
  std::size_t lives(Duration time) {
    std::size_t begun = 0;
    for (; time > 0; time -= kSecond) {
      pass(kSecond);
      begun += trials();
      for (const auto& beat : out.beats) counter = beat.counter();
      ack(counter);
    }
    return begun;
  }
  // What a join said, if there was one.
  std::string told_unfit() const {
    for (const auto& report : out.reports)
      if (report.has_join()) return report.join().agent().unfit();
    return "no join";
  }
  // Joined and fit, with an empty snapshot at position 10.
  void given_fit() {
    when(Tick{});
    trial_succeeds();
    given_joined();
  }
  void fails_to_start(std::uint8_t n, std::uint8_t session, std::uint64_t sequence) {
    v1::StartKernel start = start_of(kernel(n));
    start.set_session_id(bytes(id(session)));
    obey_start(sequence, sequence - 1, start);
    ends(kernel(n), KernelEnd::kStartFailed);
  }
  void fails_by_fault(std::uint8_t n, std::uint64_t sequence) {
    obey_start(sequence, sequence - 1, start_of(kernel(n)));
    KernelEvent event;
    event.what = KernelEvent::What::kEnded;
    event.key = kernel(n);
    event.end = KernelEnd::kStartFailed;
    event.error = make_error("disk-full", "0 KiB free");
    when(event);
  }
};

TEST_F(FitnessOfAgent, ItJoinsWhenItsTrialHasSucceeded) {
  when(Tick{});
  EXPECT_EQ(trials(), 1u);
  EXPECT_FALSE(out.join_wanted);
  pass(kSecond);
  EXPECT_EQ(trials(), 0u) << "one at a time";
  trial_succeeds();
  EXPECT_TRUE(out.join_wanted);
  EXPECT_TRUE(warned_of("fit: a kernel of its own ran after 210 ms"));
  join();
  EXPECT_EQ(told_unfit(), "");
}

TEST_F(FitnessOfAgent, ItJoinsAsUnfitWithTheRuntimesWordsOnOneLine) {
  when(Tick{});
  trial_fails();
  EXPECT_TRUE(out.join_wanted);
  EXPECT_TRUE(warned_of("no kernel can start here: start-failed: runc: no such [31mcgroup"));
  join();
  EXPECT_EQ(told_unfit(), "start-failed: runc: no such [31mcgroup");
}

TEST_F(FitnessOfAgent, ItTriesAgainAfterAPauseThatGrowsAndJoinsAnewWhenItIsFit) {
  when(Tick{});
  trial_fails();
  given_joined();
  EXPECT_EQ(lives(9 * kSecond), 0u);
  EXPECT_EQ(lives(kSecond), 1u);
  trial_fails();
  EXPECT_FALSE(out.join_wanted) << "the cluster knows it";
  EXPECT_EQ(lives(19 * kSecond), 0u);
  EXPECT_EQ(lives(kSecond), 1u);
  trial_succeeds();
  EXPECT_TRUE(agent->incarnation().is_nil());
  EXPECT_TRUE(out.join_wanted);
  join(2);
  EXPECT_EQ(told_unfit(), "");
}

TEST_F(FitnessOfAgent, ItTellsOtherWordsOfTheRuntime) {
  when(Tick{});
  trial_fails();
  given_joined();
  pass(10 * kSecond);
  trial_fails(make_error("no-user-namespaces", "none"));
  EXPECT_TRUE(out.join_wanted);
  join(2);
  EXPECT_EQ(told_unfit(), "no-user-namespaces: none");
}

TEST_F(FitnessOfAgent, ItWaitsForItsFirstTrialNoLongerThanTenSeconds) {
  when(Tick{});
  pass(10 * kSecond);
  EXPECT_TRUE(out.join_wanted);
  join();
  EXPECT_EQ(told_unfit(), "its trial kernel has not started for 10 s");
  pass(kSecond);
  trial_succeeds();
  EXPECT_TRUE(out.join_wanted);
  join(2);
  EXPECT_EQ(told_unfit(), "");
}

TEST_F(FitnessOfAgent, ThreeFailedStartsInARowAreATrialOfOneSessionToo) {
  given_fit();
  fails_to_start(1, 0x51, 11);
  fails_to_start(2, 0x52, 12);
  pass(kSecond);
  EXPECT_EQ(trials(), 0u);
  fails_to_start(3, 0x52, 13);
  pass(kSecond);
  EXPECT_EQ(trials(), 1u);
  trial_fails();
  EXPECT_TRUE(out.join_wanted);
  join(2);
  EXPECT_NE(told_unfit(), "");
}

TEST_F(FitnessOfAgent, FailedStartsAloneMakeNoAgentUnfit) {
  given_fit();
  for (std::uint8_t n = 1; n <= 3; ++n) fails_to_start(n, static_cast<std::uint8_t>(0x50 + n), 10U + n);
  pass(kSecond);
  ASSERT_EQ(trials(), 1u);
  trial_succeeds();
  EXPECT_FALSE(out.join_wanted);
  pass(kSecond);
  EXPECT_EQ(trials(), 0u) << "they count anew";
}

TEST_F(FitnessOfAgent, AKernelThatStartsBeginsTheRowAnew) {
  given_fit();
  fails_to_start(1, 0x51, 11);
  fails_to_start(2, 0x52, 12);
  obey_start(13, 12, start_of(kernel(3)));
  runs(kernel(3));
  fails_to_start(4, 0x54, 14);
  pass(kSecond);
  EXPECT_EQ(trials(), 0u);
}

TEST_F(FitnessOfAgent, KernelsThatRunGoOnWhileItIsUnfit) {
  given_fit();
  obey_start(11, 10, start_of(kernel(1)));
  runs(kernel(1));
  for (std::uint8_t n = 2; n <= 4; ++n) fails_to_start(n, static_cast<std::uint8_t>(0x50 + n), 10U + n);
  pass(kSecond);
  trial_fails();
  EXPECT_EQ(stopped(), Keys{});
  join(2);
  snapshot(20, {desired(start_of(kernel(1)), true)});
  EXPECT_EQ(stopped(), Keys{});
  EXPECT_EQ(agent->kernels_live(), 1u);
}

TEST_F(FitnessOfAgent, AStartThatFailsByAFaultOfTheMachineIsATrialAtOnce) {
  given_fit();
  fails_by_fault(1, 11);
  pass(kSecond);
  EXPECT_EQ(trials(), 1u);
  trial_fails();
  EXPECT_TRUE(out.join_wanted);
  join(2);
  EXPECT_NE(told_unfit(), "");
}

TEST_F(FitnessOfAgent, NoKernelStartsWhileItIsInDoubtAndAllDoOnceItIsFit) {
  given_fit();
  fails_by_fault(1, 11);
  obey_start(12, 11, start_of(kernel(2)));
  EXPECT_EQ(started(), Keys{});
  pass(kMillisecond);
  obey_start(13, 12, start_of(kernel(3)));
  EXPECT_EQ(started(), Keys{});
  trial_succeeds();
  EXPECT_EQ(started(), (Keys{kernel(2), kernel(3)}));
  EXPECT_FALSE(out.join_wanted);
  pass(kSecond);
  EXPECT_EQ(trials(), 0u);
}

// A disk that is too full for one session's kernels alone: others start meanwhile.
TEST_F(FitnessOfAgent, AFaultThatATrialDoesNotHaveIsNoDoubtForTenSeconds) {
  given_fit();
  fails_by_fault(1, 11);
  pass(kMillisecond);
  trial_succeeds();
  fails_by_fault(2, 12);
  obey_start(13, 12, start_of(kernel(3)));
  EXPECT_EQ(started(), Keys{kernel(3)});
  EXPECT_EQ(lives(10 * kSecond), 0u);
  fails_by_fault(4, 14);
  pass(kMillisecond);
  EXPECT_EQ(trials(), 1u);
}

TEST_F(FitnessOfAgent, WhatWaitsInDoubtIsForAnotherAgentOnceItIsUnfit) {
  given_fit();
  fails_by_fault(1, 11);
  obey_start(12, 11, start_of(kernel(2)));
  pass(kMillisecond);
  trial_fails();
  EXPECT_EQ(started(), Keys{});
  join(2);
  ASSERT_EQ(out.reports.size(), 1u);
  const auto& told = out.reports[0].join().kernels();
  const auto second = std::ranges::find(told, bytes(id(2)), &v1::KernelFact::kernel_id);
  ASSERT_NE(second, told.end());
  EXPECT_EQ(second->end(), v1::START_FAILED);
  EXPECT_EQ(second->code(), "agent-unfit");
}

// The trial of an agent whose launcher is frozen is late, which says less.
TEST_F(FitnessOfAgent, TheFaultOfTheStartIsToldBesideThatOfTheTrialUntilOneSucceeds) {
  given_fit();
  fails_by_fault(1, 11);
  pass(kSecond);
  trial_fails(make_error("trial-late", "it does not run"));
  join(2);
  EXPECT_EQ(told_unfit(), "disk-full: 0 KiB free; its trial: trial-late: it does not run");
  EXPECT_EQ(lives(10 * kSecond), 1u);
  trial_fails(make_error("trial-left", "it does not end"));
  join(3);
  EXPECT_EQ(told_unfit(), "disk-full: 0 KiB free; its trial: trial-left: it does not end");
  EXPECT_EQ(lives(20 * kSecond), 1u);
  trial_succeeds();
  join(4);
  EXPECT_EQ(told_unfit(), "");
}

TEST_F(FitnessOfAgent, AStartThatWasOnItsWayWhenItBecameUnfitIsRefused) {
  given_fit();
  fails_by_fault(1, 11);
  pass(kMillisecond);
  trial_fails();
  join(2);
  snapshot(20, {desired(start_of(kernel(2)))});
  EXPECT_EQ(started(), Keys{});
  EXPECT_EQ(fact_of(kernel(2)).code(), "agent-unfit");
}

TEST_F(FitnessOfAgent, AnAgentThatTriesNothingIsNeverInDoubt) {
  profile.tries = false;
  make();
  given_joined();
  fails_by_fault(1, 11);
  obey_start(12, 11, start_of(kernel(2)));
  EXPECT_EQ(started(), Keys{kernel(2)});
}

TEST(FitnessTimes_, ThePauseEndsAtFiveMinutesAndBeginsAnewWithASuccess) {
  Fitness fitness({}, true);
  Timestamp now = kSecond;
  std::vector<Duration> pauses;
  for (int i = 0; i < 7; ++i) {
    const Timestamp before = now;
    while (!fitness.takes_trial(now)) now += kSecond;
    if (i > 0) pauses.push_back((now - before) / kSecond);
    fitness.tried(kBroken, now);
  }
  EXPECT_EQ(pauses, (std::vector<Duration>{10, 20, 40, 80, 160, 300}));
  while (!fitness.takes_trial(now)) now += kSecond;
  EXPECT_TRUE(fitness.tried({}, now));
  EXPECT_EQ(fitness.unfit(), "");
  now += 1000 * kSecond;
  EXPECT_FALSE(fitness.takes_trial(now)) << "a fit agent tries nothing";
}

TEST(FitnessTimes_, OneThatDoesNotTryIsFitWhateverHappens) {
  Fitness fitness({}, false);
  EXPECT_TRUE(fitness.known());
  for (int n = 0; n < 9; ++n) fitness.start_failed();
  fitness.doubt(kBroken, kSecond);
  EXPECT_FALSE(fitness.in_doubt());
  EXPECT_FALSE(fitness.takes_trial(kSecond));
}

}  // namespace
}  // namespace berth::agents
