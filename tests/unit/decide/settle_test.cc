// tests/BEHAVIOURS.md section 6, as the two counters of its top say it: `attempts` are starts that failed,
// `retries` refusals, which never give up. RB7 and RB9 are about rows of a history that is kept beside the
// state; here the journal is the history, and `attempts` is one number of the session.
#include "events/base/edge_errors.h"
#include "tests/support/decide.h"

namespace berth::testing::decisions {
namespace {

using projections::SessionStatus;

Cause settle(const std::string& session) {
  return
      [id = session_id(session)](const controller::DecisionContext& c) { return controller::settle(c, id); };
}

// A session some of whose starts have failed, and whose next start ends so.
Case given_started(std::uint32_t attempts, v1::KernelEnd end, const v1::SessionSpec& spec = Spec(),
                   std::uint32_t retries = 0) {
  Events history = world() + Events{session_requested("s1", spec)};
  if (retries > 0) history.push_back(session_retried("s1", retries));
  Case c = given(history);
  for (std::uint32_t n = 1; n <= attempts + 1; ++n) {
    const std::string kernel = kernel_name("s1", "main", 1, n);
    c.and_given({session_scheduled("s1", "a1", n)});
    c.and_given({kernel_terminated(kernel, n <= attempts ? v1::START_FAILED : end, 1, n)});
    if (n <= attempts) c.and_given({session_requeued("s1", n)});
  }
  return c;
}

struct AfterStarts {
  const char* row;
  std::uint32_t attempts;
  std::uint32_t retries;
  v1::KernelEnd end;
  v1::Event settled;
};

TEST(Settle, GivesUpAtMaxAttemptsAndAtNothingElse) {
  const std::vector<AfterStarts> rows = {
      {"RB1", 4, 0, v1::START_FAILED, session_failed("s1", "gave-up")},
      {"RB2 refusals do not count", 0, 99, v1::START_FAILED, session_requeued("s1", 1)},
      {"RB4", 0, 0, v1::START_FAILED, session_requeued("s1", 1)},
      {"one before the last", 3, 0, v1::START_FAILED, session_requeued("s1", 4)},
      {"RB6 a lost agent is no attempt", 4, 0, v1::AGENT_LOST, session_requeued("s1", 4, "agent-lost")},
  };
  for (const AfterStarts& row : rows) {
    SCOPED_TRACE(row.row);
    Case c = given_started(row.attempts, row.end, Spec().requeueable(), row.retries);
    ASSERT_EQ(c.status("s1"), SessionStatus::kRescheduling);
    c.when(settle("s1")).then({row.settled});
  }
}

TEST(Settle, RB1_ASessionMayAskForFewer) {
  given_started(0, v1::START_FAILED, Spec().max_attempts(1))
      .when(settle("s1"))
      .then({session_failed("s1", "gave-up")});
}

TEST(Settle, RB8_AnUnknownSessionOrOneThatDoesNotGoBackIsLeftAlone) {
  given_started(0, v1::START_FAILED).when(settle("other")).then({});
  given_started(0, v1::EXITED).when(settle("s1")).then({});
}

TEST(Settle, SettledOnceItIsLeftAlone) {
  given_started(0, v1::START_FAILED)
      .when(settle("s1"))
      .then({session_requeued("s1", 1)})
      .when(settle("s1"))
      .then({});
}

TEST(Settle, WaitsForTheEndOfAllKernels) {
  const std::vector<Placed> both = {{.agent = "a1"}, {.agent = "a1", .index = 2}};
  Case c = given(world() + Events{session_requested("s1", Spec().kernels(2)), session_scheduled("s1", both),
                                  kernel_terminated(kernel_name("s1"), v1::START_FAILED, 1)});
  ASSERT_EQ(c.status("s1"), SessionStatus::kRescheduling);
  c.when(settle("s1")).then({});
  c.and_given({kernel_terminated(kernel_name("s1", "main", 2), v1::STOPPED)});
  c.when(settle("s1")).then({session_requeued("s1", 1)});
}

TEST(Settle, AStartThatFailsForGoodEndsAfterOneAttempt) {
  for (const char* code : {"unknown-image", "image-required", "image-digest-differs", "image-user-unknown"}) {
    v1::Event failed = kernel_terminated(kernel_name("s1"), v1::START_FAILED, 1);
    failed.mutable_kernel_terminated()->set_code(record_code(code));
    failed.mutable_kernel_terminated()->set_message("image x:1: the source does not have it");
    v1::Event ended = session_failed("s1", "start-failed");
    ended.mutable_session_failed()->set_message("image x:1: the source does not have it");
    Case c = given(world() + Events{session_requested("s1"), session_scheduled("s1", "a1"), failed});
    c.when(settle("s1")).then({ended});
    EXPECT_EQ(c.status("s1"), SessionStatus::kError);
  }
}

TEST(Settle, TheMessageOfTheFailedStartIsKept) {
  v1::Event failed = kernel_terminated(kernel_name("s1"), v1::START_FAILED, 1);
  failed.mutable_kernel_terminated()->set_message("no such file");
  v1::Event requeued = session_requeued("s1", 1);
  requeued.mutable_session_requeued()->set_message("no such file");
  given(world() + Events{session_requested("s1"), session_scheduled("s1", "a1"), failed})
      .when(settle("s1"))
      .then({requeued});
}

// U7: a broken start is not tried in a loop.
TEST(Settle, EachFailedStartIsTriedAgainLaterThanTheOneBefore) {
  const std::vector<Duration> waits = {kSecond, 4 * kSecond, 16 * kSecond, kMinute};
  for (std::uint32_t failed = 0; failed < waits.size(); ++failed) {
    Case c = given_started(failed, v1::START_FAILED);
    c.when(settle("s1"));
    EXPECT_EQ(c.session("s1").not_before, c.decided_at() + waits[failed]) << failed;
    EXPECT_EQ(projections::earliest_start(c.session("s1")), c.session("s1").not_before);
    c.and_given({session_scheduled("s1", "a1", failed + 2)});
    EXPECT_EQ(c.session("s1").not_before, 0);
  }
}

// A start that failed with this code for the `times`th time in a row.
Case given_faults(const std::string& code, std::uint32_t times = 1, const v1::SessionSpec& spec = Spec()) {
  Case c = given(world() + Events{session_requested("s1", spec)});
  for (std::uint32_t n = 1; n <= times; ++n) {
    v1::Event failed = kernel_terminated(kernel_name("s1", "main", 1, n), v1::START_FAILED, 1, n);
    failed.mutable_kernel_terminated()->set_code(record_code(code));
    c.and_given({session_scheduled("s1", "a1", n)});
    c.and_given({failed});
    if (n < times) c.and_given({session_requeued("s1", 0)});
  }
  return c;
}

TEST(Settle, AFaultOfTheMachineIsNoAttempt) {
  for (const Code code : kMachineFaults) {
    SCOPED_TRACE(code);
    given_faults(code.word(), 9, Spec().max_attempts(1)).when(settle("s1")).then({session_requeued("s1", 0)});
  }
}

TEST(Settle, AfterAFaultOfTheMachineItWaitsForUpToFiveMinutes) {
  const std::vector<Duration> waits = {kSecond,       4 * kSecond, 16 * kSecond, 64 * kSecond,
                                       256 * kSecond, 5 * kMinute, 5 * kMinute};
  for (std::uint32_t times = 1; times <= waits.size(); ++times) {
    Case c = given_faults("disk-full", times);
    c.when(settle("s1"));
    EXPECT_EQ(c.session("s1").not_before, c.decided_at() + waits[times - 1]) << times;
  }
}

TEST(Settle, AFaultOfOneMachineHidesNoFailureOfTheSessionOnAnother) {
  const std::vector<Placed> both = {{.agent = "a1"}, {.agent = "a1", .index = 2}};
  v1::Event fault = kernel_terminated(kernel_name("s1"), v1::START_FAILED, 1);
  fault.mutable_kernel_terminated()->set_code(record_code("disk-full"));
  v1::Event own = kernel_terminated(kernel_name("s1", "main", 2), v1::START_FAILED, 1);
  own.mutable_kernel_terminated()->set_code(record_code("runtime-failed"));
  given(world() + Events{session_requested("s1", Spec().kernels(2).max_attempts(1)),
                         session_scheduled("s1", both), fault, own})
      .when(settle("s1"))
      .then({session_failed("s1", "gave-up")});
}

TEST(Settle, ALostAgentIsNoReasonToWait) {
  Case c = given_started(0, v1::AGENT_LOST, Spec().requeueable());
  c.when(settle("s1"));
  EXPECT_EQ(c.session("s1").not_before, 0);
}

TEST(Settle, AStartThatFailsForGoodIsNotTriedAgain) {
  for (const char* code : {"unknown-image", "image-required", "image-digest-differs", "image-user-unknown"}) {
    v1::Event failed = kernel_terminated(kernel_name("s1"), v1::START_FAILED, 1);
    failed.mutable_kernel_terminated()->set_code(record_code(code));
    given(world() + Events{session_requested("s1"), session_scheduled("s1", "a1"), failed})
        .when(settle("s1"))
        .then({session_failed("s1", "start-failed")});
  }
}

// F6: the lease ends the work, and the work begins again elsewhere.
TEST(Settle, ALeaseThatWasOverIsNoAttemptAndAvoidsNoAgent) {
  Case c = given_started(4, v1::LEASE_OVER, Spec().requeueable());
  ASSERT_EQ(c.status("s1"), SessionStatus::kRescheduling);
  const std::size_t avoided = c.session("s1").failed_on.size();
  c.when(settle("s1")).then({session_requeued("s1", 4, "lease-over")});
  EXPECT_EQ(c.session("s1").failed_on.size(), avoided);
  EXPECT_EQ(c.session("s1").not_before, 0);
}

TEST(Settle, ALeaseThatWasOverRequeuesOnlyOnceAllKernelsHaveEnded) {
  const std::vector<Placed> both = {{.agent = "a1"}, {.agent = "a1", .index = 2}};
  Case c = given(world() + Events{session_requested("s1", Spec().kernels(2).requeueable()),
                                  session_scheduled("s1", both),
                                  kernel_terminated(kernel_name("s1"), v1::LEASE_OVER, 1)});
  c.when(settle("s1")).then({});
  c.and_given({kernel_terminated(kernel_name("s1", "main", 2), v1::EXITED)});
  c.when(settle("s1")).then({session_requeued("s1", 0, "lease-over")});
}

// What a stop of the machine ended is as good as lost with its agent.
TEST(Settle, AMachineThatStoppedSendsWhatMayMoveBackToTheQueueWithoutAnAttempt) {
  Case c = given_started(4, v1::MACHINE_STOPPED, Spec().requeueable());
  ASSERT_EQ(c.status("s1"), SessionStatus::kRescheduling);
  const std::size_t avoided = c.session("s1").failed_on.size();
  c.when(settle("s1")).then({session_requeued("s1", 4, "machine-stopped")});
  EXPECT_EQ(c.session("s1").failed_on.size(), avoided);
}

TEST(Settle, AMachineThatStoppedEndsWhatMayNotMove) {
  Case c = given_started(0, v1::MACHINE_STOPPED);
  EXPECT_EQ(c.status("s1"), SessionStatus::kTerminated);
}

TEST(Settle, ALeaseThatWasOverEndsWhatMayNotMove) {
  Case c = given_started(0, v1::LEASE_OVER);
  EXPECT_EQ(c.status("s1"), SessionStatus::kTerminated);
}

// ---- what the fold makes of it ----

TEST(Settle, RB11_RunningClearsTheReasonAndKeepsTheStartTime) {
  const Timestamp start = 1'600'000'000 * kSecond;
  const Case c = given(world() + Events{session_requested("s1", Spec().batch().start_at(start)),
                                        session_reason_changed("s1", "no-capacity", "cpu"),
                                        session_scheduled("s1", "a1"), kernel_running(kernel_name("s1"))});
  EXPECT_EQ(c.status("s1"), SessionStatus::kRunning);
  EXPECT_EQ(c.session("s1").reason_code, "");
  EXPECT_EQ(c.session("s1").spec->spec.start_time_ms(), start / kMillisecond);
}

TEST(Settle, RB12_OneOfThreeFailsAndTheOthersRun) {
  Events history = world();
  for (const char* name : {"s1", "s2", "s3"})
    history = history + Events{session_requested(name), session_scheduled(name, "a1")};
  Case c = given(history + Events{kernel_running(kernel_name("s1")),
                                  kernel_terminated(kernel_name("s2"), v1::START_FAILED, 1),
                                  kernel_running(kernel_name("s3"))});
  EXPECT_EQ(c.status("s2"), SessionStatus::kRescheduling);
  c.when(settle("s2")).then({session_requeued("s2", 1)});
  EXPECT_EQ(c.status("s1"), SessionStatus::kRunning);
  EXPECT_EQ(c.status("s2"), SessionStatus::kPending);
  EXPECT_EQ(c.status("s3"), SessionStatus::kRunning);
}

TEST(Settle, RB13_BackInTheQueueItHasNoKernelsAndHoldsNothing) {
  Case c = given_started(0, v1::START_FAILED);
  c.when(settle("s1")).then({session_requeued("s1", 1)});
  EXPECT_EQ(c.status("s1"), SessionStatus::kPending);
  EXPECT_TRUE(c.session("s1").kernel_ids.empty());
  EXPECT_FALSE(c.has_kernel(kernel_name("s1")));
  EXPECT_EQ(c.taken("a1", "cpu"), 0);
  EXPECT_EQ(c.session("s1").spec->spec.max_attempts(), 5u);
}

// A session that held slots for long and is put back (PR18, a lost agent, a failed start) has its whole
// pending timeout again.
TEST(Settle, PutBackItWaitsItsWholePendingTimeoutAgain) {
  Case c = given(world() + Events{session_requested("s1", Spec().pending_timeout(kHour)),
                                  session_scheduled("s1", "a1")});
  c.after(2 * kDay).and_given({kernel_terminated(kernel_name("s1"), v1::START_FAILED, 1)});
  c.when(settle("s1")).then({session_requeued("s1", 1)});
  ASSERT_EQ(c.state().timers().size(), 1u);
  const projections::Timer& timer = *c.state().timers().begin();
  EXPECT_EQ(timer.kind, projections::TimerKind::kPendingTimeout);
  EXPECT_EQ(timer.due, c.session("s1").requeued_at + kHour);
  EXPECT_GT(c.session("s1").requeued_at, c.session("s1").created_at + 2 * kDay);
}

}  // namespace
}  // namespace berth::testing::decisions
