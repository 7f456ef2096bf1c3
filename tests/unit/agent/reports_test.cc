// P22: what an agent tells, and how often.
#include "tests/unit/agent/agent_fixture.h"

namespace berth::agents {
namespace {

using What = KernelEvent::What;

class Reports : public AgentTest {
 protected:
  void given_kernel() {
    given_joined();
    obey_start(11, 10, start_of(kernel(1)));
  }
};

TEST_F(Reports, EachNamesAgentIncarnationKernelAndAttempt) {
  given_kernel();
  runs(kernel(1));
  ASSERT_EQ(out.reports.size(), 1u);
  EXPECT_EQ(out.reports[0].agent(), "a1");
  EXPECT_EQ(out.reports[0].incarnation(), bytes(incarnation));
  EXPECT_EQ(fact_of(kernel(1)).state(), v1::RUNNING);
  EXPECT_EQ(fact_of(kernel(1)).attempt(), 1u);
}

TEST_F(Reports, StateOnlyMovesForwardWithinAnAttempt) {
  given_kernel();
  runs(kernel(1));
  happens(kernel(1), What::kCreating);
  EXPECT_TRUE(facts().empty());
  ends(kernel(1));
  runs(kernel(1));
  EXPECT_TRUE(facts().empty());
  ends(kernel(1), KernelEnd::kStopped);
  EXPECT_TRUE(facts().empty());
}

TEST_F(Reports, SeveralChangesBetweenTwoFlushesAreOneFactTheNewest) {
  given_kernel();
  KernelEvent event;
  event.key = kernel(1);
  out = {};
  for (const What what : {What::kCreating, What::kRunning, What::kEnded}) {
    event.what = what;
    agent->step(event, now, out);
  }
  agent->flush(now, out);
  ASSERT_EQ(facts().size(), 1u);
  EXPECT_EQ(facts()[0].state(), v1::TERMINATED);
}

TEST_F(Reports, ManyFactsShareReportsOfBoundedSize) {
  given_joined();
  v1::Order many = order(11, 10);
  for (int i = 0; i < 600; ++i) {
    v1::StartKernel start = start_of(kernel(1));
    std::string kernel_id(16, 'k');
    kernel_id[0] = static_cast<char>(i % 256);
    kernel_id[1] = static_cast<char>(i / 256);
    start.set_kernel_id(kernel_id);
    start.clear_slots();
    *many.add_start() = start;
  }
  when(OrderArrived{many});
  out = {};
  for (const KernelKey& key : agent->kernels().keys()) {
    KernelEvent event;
    event.key = key;
    event.what = What::kRunning;
    agent->step(event, now, out);
  }
  agent->flush(now, out);
  EXPECT_EQ(facts().size(), 600u);
  EXPECT_EQ(out.reports.size(), 3u);
}

TEST_F(Reports, AnEndIsToldAgainWithGrowingPausesUntilForget) {
  given_kernel();
  ends(kernel(1));
  EXPECT_EQ(facts().size(), 1u);
  pass(2 * kSecond);
  EXPECT_EQ(facts().size(), 0u);
  pass(kSecond);  // 3 s after
  EXPECT_EQ(facts().size(), 1u);
  ack(out.beats.at(0).counter(), 11);
  pass(3 * kSecond);
  ack(out.beats.at(0).counter(), 11);
  pass(2 * kSecond);
  EXPECT_EQ(facts().size(), 0u);
  pass(kSecond);  // 6 s after that
  EXPECT_EQ(facts().size(), 1u);
  obey_forget(12, 11, kernel(1));
  EXPECT_EQ(commands<ForgetCommand>().size(), 1u);
  pass(kMinute);
  EXPECT_EQ(facts().size(), 0u);
}

TEST_F(Reports, AKernelThatLivesIsNotForgotten) {
  given_kernel();
  runs(kernel(1));
  obey_forget(12, 11, kernel(1));
  EXPECT_TRUE(commands<ForgetCommand>().empty());
  EXPECT_EQ(agent->kernels_live(), 1u);
}

// The journal lost the kernel's end, its new leader had it started again and then read that end: seed 1651 of
// the simulator.
TEST_F(Reports, ToldToForgetAKernelThatLivesItAsksForASnapshotWhichEndsIt) {
  given_kernel();
  runs(kernel(1));
  obey_forget(12, 11, kernel(1));
  pass(kMillisecond);
  EXPECT_TRUE(snapshot_wanted());
  snapshot(12);
  EXPECT_EQ(stopped(), Keys{kernel(1)});
}

TEST_F(Reports, AJoinListsAllKernelsRunningAndEnded) {
  given_kernel();
  obey_start(12, 11, start_of(kernel(2)));
  runs(kernel(1));
  ends(kernel(2));
  now.boottime += kSecond;
  join(2);
  ASSERT_EQ(out.reports.size(), 1u);
  const auto& join_report = out.reports[0].join();
  EXPECT_EQ(join_report.nonce(), bytes(nonce));
  ASSERT_EQ(join_report.kernels_size(), 2);
  EXPECT_EQ(join_report.kernels(0).state(), v1::RUNNING);
  EXPECT_EQ(join_report.kernels(1).state(), v1::TERMINATED);
}

TEST_F(Reports, EndsListedInAJoinAreToldAgainToo) {
  RecoveredKernel ended;
  ended.what = What::kEnded;
  ended.key = kernel(1);
  make({ended});
  join();
  EXPECT_EQ(facts().size(), 0u);
  pass(3 * kSecond);
  EXPECT_EQ(facts().size(), 1u);
}

TEST_F(Reports, P24_WhatWasKilledAndStaysIsWarnedOfAndIsNoEnd) {
  given_kernel();
  runs(kernel(1));
  KernelEvent event;
  event.what = What::kStays;
  event.key = kernel(1);
  event.error = make_error("kernel-stays", "cat (process 7, in nfs_wait)");
  when(event);
  EXPECT_TRUE(facts().empty());
  EXPECT_TRUE(warned_of("cat (process 7, in nfs_wait)"));
  EXPECT_EQ(agent->kernels_live(), 1u);
  ends(kernel(1), KernelEnd::kStopped);
  EXPECT_EQ(fact_of(kernel(1)).end(), v1::STOPPED);
}

TEST_F(Reports, ResultsKeepHowItEnded) {
  given_kernel();
  happens(kernel(1), What::kEnded, KernelEnd::kOutOfMemory, 137);
  EXPECT_EQ(fact_of(kernel(1)).end(), v1::OUT_OF_MEMORY);
  EXPECT_EQ(fact_of(kernel(1)).exit_code(), 137);
  EXPECT_EQ(fact_of(kernel(1)).started_ns(), 1000);
}

TEST_F(Reports, ACleanStopEndsAllKernelsTellsTheirEndsAndLeaves) {
  given_kernel();
  runs(kernel(1));
  when(Leave{});
  EXPECT_EQ(stopped(), Keys{kernel(1)});
  EXPECT_FALSE(agent->left());
  ends(kernel(1), KernelEnd::kStopped);
  ASSERT_EQ(out.reports.size(), 2u);
  EXPECT_EQ(out.reports[0].facts(0).end(), v1::STOPPED);
  EXPECT_EQ(out.reports[0].facts(0).code(), "agent-stopped");
  EXPECT_EQ(out.reports[0].facts(0).message(), "the agent was stopped");
  EXPECT_TRUE(out.reports[1].leaving());
  EXPECT_TRUE(agent->left());
  pass(10 * kSecond);
  EXPECT_FALSE(out.join_wanted);
  EXPECT_TRUE(out.beats.empty());
}

TEST_F(Reports, AKernelThatWasEndedBeforeTheAgentStopsKeepsThatReason) {
  given_kernel();
  runs(kernel(1));
  obey_stop(12, 11, kernel(1));
  when(Leave{});
  ends(kernel(1), KernelEnd::kStopped);
  EXPECT_EQ(out.reports[0].facts(0).code(), v1::CODE_UNSPECIFIED);
}

TEST_F(Reports, ACleanStopThatKeepsKernelsStopsNone) {
  given_kernel();
  runs(kernel(1));
  when(Leave{true});
  EXPECT_EQ(stopped(), Keys{});
  EXPECT_TRUE(out.reports.at(0).leaving());
}

TEST_F(Reports, WhileItLeavesItStartsNothing) {
  given_kernel();
  runs(kernel(1));
  when(Leave{});
  obey_start(12, 11, start_of(kernel(2)));
  EXPECT_EQ(started(), Keys{});
  EXPECT_EQ(fact_of(kernel(2)).end(), v1::NEVER_STARTED);
}

}  // namespace
}  // namespace berth::agents
