// The diagram of session_table.h: what each event does in each status, and what is forbidden.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

using enum projections::SessionStatus;
using projections::SessionStatus;

const std::string kKernel = kernel_name("s1");

struct Stage {
  SessionStatus status;
  Events history;  // after definitions and agent a1
};

// A session "s1" in every status that it can have.
std::vector<Stage> stages() {
  const Events asked{session_requested("s1")};
  const Events placed = asked + Events{session_scheduled("s1", "a1")};
  return {{kPending, asked},
          {kReserved, asked + Events{session_reserved("s1", "a1")}},
          {kScheduled, placed},
          {kPreparing, placed + Events{kernel_preparing(kKernel)}},
          {kPulling, placed + Events{kernel_pulling(kKernel, 1)}},
          {kPrepared, placed + Events{kernel_prepared(kKernel)}},
          {kCreating, placed + Events{kernel_creating(kKernel)}},
          {kRunning, placed + Events{kernel_running(kKernel)}},
          {kTerminating, placed + Events{session_terminating("s1")}},
          {kRescheduling, placed + Events{kernel_terminated(kKernel, v1::START_FAILED)}},
          {kTerminated, placed + Events{kernel_terminated(kKernel)}},
          {kCancelled, asked + Events{session_cancelled("s1")}},
          {kError, asked + Events{session_failed("s1")}}};
}

Given at(const Stage& stage) { return given(definitions() + agent("a1") + stage.history); }

// The event leads from each status in `allowed` to `to`, and is forbidden in all others.
void expect_only_from(const std::vector<SessionStatus>& allowed, const v1::Event& event, SessionStatus to) {
  for (const Stage& stage : stages()) {
    SCOPED_TRACE(name_of(stage.status));
    Given g = at(stage);
    ASSERT_EQ(g.status("s1"), stage.status);
    g.when({event});
    if (std::find(allowed.begin(), allowed.end(), stage.status) != allowed.end()) {
      g.then_applied();
      EXPECT_EQ(g.status("s1"), to);
    } else {
      g.then_forbidden("event 0");
      EXPECT_EQ(g.status("s1"), stage.status);
    }
  }
}

TEST(SessionTransitions, EveryStatusIsReached) {
  for (const Stage& stage : stages())
    EXPECT_EQ(at(stage).status("s1"), stage.status) << name_of(stage.status);
}

TEST(SessionTransitions, IsCancelledOnlyWhileItWaits) {
  expect_only_from({kPending, kReserved}, session_cancelled("s1"), kCancelled);
}

TEST(SessionTransitions, G11_HasAPlaceHeldOnlyWhilePending) {
  expect_only_from({kPending}, session_reserved("s1", "a1"), kReserved);
}

TEST(SessionTransitions, G14_GivesAHeldPlaceUpOnlyWhileItHasOne) {
  expect_only_from({kReserved}, session_unreserved("s1"), kPending);
}

TEST(SessionTransitions, IsScheduledOnlyWhileItWaits) {
  expect_only_from({kPending, kReserved}, session_scheduled("s1", "a1"), kScheduled);
}

TEST(SessionTransitions, ItsReasonChangesOnlyWhilePending) {
  expect_only_from({kPending}, session_reason_changed("s1", "no-capacity", "cpu"), kPending);
}

TEST(SessionTransitions, ItsRetriesChangeOnlyWhilePending) {
  expect_only_from({kPending}, session_retried("s1", 3), kPending);
}

TEST(SessionTransitions, IsTerminatedWhileItHasKernelsThatMayHoldSlots) {
  for (const Stage& stage : stages()) {
    SCOPED_TRACE(name_of(stage.status));
    Given g = at(stage);
    g.when({session_terminating("s1")});
    const bool ended = is_end(stage.status);
    if (ended || is_waiting(stage.status)) {
      g.then_forbidden("nothing to end");
      continue;
    }
    g.then_applied();
    // All of its kernels had ended already: so has the session.
    EXPECT_EQ(g.status("s1"), stage.status == kRescheduling ? kTerminated : kTerminating);
  }
}

TEST(SessionTransitions, GoesBackToPendingOnlyFromRescheduling) {
  expect_only_from({kRescheduling}, session_requeued("s1"), kPending);
}

TEST(SessionTransitions, FailsOnlyWhileItHoldsNoSlots) {
  expect_only_from({kPending, kReserved, kRescheduling}, session_failed("s1"), kError);
}

TEST(SessionTransitions, AnUnknownSessionIsForbidden) {
  for (const auto& event :
       {session_cancelled("x"), session_terminating("x"), session_scheduled("x", "a1"), session_requeued("x"),
        session_failed("x"), session_reason_changed("x", "no-capacity"), session_retried("x", 1)})
    given(definitions() + agent("a1")).when({event}).then_forbidden("event 0");
}

TEST(SessionTransitions, SchedulingForgetsTheReasonForWaiting) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1"), session_reason_changed("s1", "no-capacity", "cpu")});
  EXPECT_EQ(g.session("s1").reason_code, "no-capacity");
  EXPECT_EQ(g.session("s1").reason_slot, "cpu");
  g.and_given({session_scheduled("s1", "a1")});
  EXPECT_EQ(g.session("s1").reason_code, "");
  EXPECT_EQ(g.session("s1").scheduled_at, g.journal().time() - kMillisecond);
}

TEST(SessionTransitions, ASecondAttemptHasANewNumberAndNewKernels) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1"), session_scheduled("s1", "a1"),
                         kernel_terminated(kKernel, v1::START_FAILED)});
  EXPECT_EQ(g.session("s1").reason_code, "start-failed");
  g.and_given({session_requeued("s1", 1)});
  EXPECT_FALSE(g.has_kernel(kKernel));
  EXPECT_EQ(g.session("s1").attempts, 1u);
  g.when({session_scheduled("s1", "a1", 1)}).then_forbidden("not the next");
  g.when_elected().then_applied();
  g.and_given({session_scheduled("s1", "a1", 2)});
  EXPECT_EQ(g.session("s1").attempt, 2u);
  g.and_given({kernel_running(kernel_name("s1", "main", 1, 2), 2)});
  EXPECT_EQ(g.status("s1"), kRunning);
}

TEST(SessionTransitions, P24_ALostAgentSendsOnlyRequeueableSessionsBack) {
  for (const bool requeueable : {true, false}) {
    Given g =
        given(definitions() + agent("a1") +
              Events{session_requested("s1", Spec().requeueable(requeueable)), session_scheduled("s1", "a1"),
                     kernel_running(kKernel), kernel_terminated(kKernel, v1::AGENT_LOST)});
    EXPECT_EQ(g.status("s1"), requeueable ? kRescheduling : kTerminated);
  }
}

// "s1" waits for its next attempt, since its agent was recorded lost.
Events waits_after_its_agent_was_lost(std::uint32_t kernels = 1) {
  std::vector<Placed> placed;
  Events ran, ended;
  for (std::uint32_t i = 1; i <= kernels; ++i) {
    placed.push_back({.agent = "a1", .index = i});
    ran.push_back(kernel_running(kernel_name("s1", "main", i)));
    ended.push_back(kernel_terminated(kernel_name("s1", "main", i), v1::AGENT_LOST));
  }
  return definitions() + agent("a1") +
         Events{session_requested("s1", Spec().batch().requeueable().kernels(kernels)),
                session_scheduled("s1", placed)} +
         ran + ended + Events{session_requeued("s1", 0, "agent-lost")};
}

TEST(SessionTransitions, P24_TheResultOfALostRunCountsWhileTheSessionWaits) {
  for (const auto& [exit_code, result] : {std::pair{0, projections::SessionResult::kSuccess},
                                          std::pair{3, projections::SessionResult::kFailed}}) {
    Given g = given(waits_after_its_agent_was_lost(2));
    ASSERT_EQ(g.status("s1"), kPending);
    const Timestamp lost = g.session("s1").lost_running_at;
    ASSERT_NE(lost, 0);
    g.when({kernel_terminated(kKernel, v1::EXITED, exit_code)}).then_applied();
    EXPECT_EQ(g.status("s1"), kTerminated);
    EXPECT_EQ(g.session("s1").result, result);
    EXPECT_EQ(g.session("s1").exit_code, exit_code);
    EXPECT_EQ(g.session("s1").kernel_ids.size(), 2u);
    EXPECT_EQ(g.session("s1").running_at, lost);
    EXPECT_EQ(g.session("s1").reason_code, "kernel-ended");
    EXPECT_EQ(g.session("s1").ended_at, g.journal().time() - kMillisecond);
    EXPECT_TRUE(g.session("s1").lost_kernels.empty());
    g.when({kernel_terminated(kKernel, v1::EXITED, exit_code)}).then_forbidden("TERMINATED to TERMINATED");
  }
}

TEST(SessionTransitions, P24_OfALostRunOnlyWhatItsFirstKernelCameToByItselfCounts) {
  Given g = given(waits_after_its_agent_was_lost(2));
  for (const v1::KernelEnd end : {v1::STOPPED, v1::LEASE_OVER, v1::START_FAILED, v1::RESULT_UNKNOWN,
                                  v1::FENCED, v1::AGENT_LOST, v1::NEVER_STARTED, v1::MACHINE_STOPPED})
    g.when({kernel_terminated(kKernel, end)}).then_forbidden("TERMINATED to TERMINATED").when_elected();
  g.when({kernel_terminated(kernel_name("s1", "main", 2))}).then_forbidden("TERMINATED to TERMINATED");
}

TEST(SessionTransitions, P24_TheResultOfALostRunIsNoneOnceTheSessionIsPlacedAgainOrHasEnded) {
  Given placed = given(waits_after_its_agent_was_lost());
  placed.and_given({session_scheduled("s1", "a1", 2)});
  placed.when({kernel_terminated(kKernel)}).then_forbidden("no such kernel and attempt");
  EXPECT_TRUE(placed.session("s1").lost_kernels.empty());
  for (const v1::Event& end : {session_cancelled("s1"), session_failed("s1")}) {
    Given g = given(waits_after_its_agent_was_lost());
    g.and_given({end});
    EXPECT_FALSE(g.has_kernel(kKernel));
    g.when({kernel_terminated(kKernel)}).then_forbidden("no such kernel and attempt");
  }
}

TEST(SessionTransitions, P24_WhoDependsOnALostRunGoesOnWithItsResult) {
  v1::SessionSpec after = Spec().batch();
  after.add_depends_on(wire("s1"));
  Given g = given(waits_after_its_agent_was_lost() + Events{session_requested("s2", after)});
  ASSERT_EQ(g.session("s2").unmet.size(), 1u);
  g.when({kernel_terminated(kKernel)}).then_applied();
  EXPECT_TRUE(g.session("s2").unmet.empty());
}

TEST(SessionTransitions, AnEndThatWasAskedForWinsOverReschedulingIt) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1"), session_scheduled("s1", "a1"), session_terminating("s1"),
                         kernel_terminated(kKernel, v1::START_FAILED)});
  EXPECT_EQ(g.status("s1"), kTerminated);
}

TEST(SessionTransitions, PlacesAllKernelsOrNone) {
  const Events two = definitions() + agent("a1") + Events{session_requested("s1", Spec().kernels(2))};
  given(two).when({session_scheduled("s1", "a1")}).then_forbidden("not all kernels");
  given(two).when({session_scheduled("s1", {{"a1"}, {"a1"}})}).then_forbidden("exists");
  given(two).when({session_scheduled("s1", {{"a1"}, {"a1", {}, "main", 3}})}).then_forbidden("not asked for");
  given(two).when({session_scheduled("s1", {{"a1"}, {"a1", {}, "main", 0}})}).then_forbidden("not asked for");
  given(two).when({session_scheduled("s1", {{"a1"}, {"a1", {}, "sub", 1}})}).then_forbidden("not asked for");
  given(two)
      .when({session_scheduled("s1", {{"a1"}, {"nobody", {}, "main", 2}})})
      .then_forbidden("no agent is named nobody");
  Given g = given(two);
  g.when({session_scheduled("s1", {{"a1"}, {"a1", {}, "main", 2}})}).then_applied();
  EXPECT_EQ(g.session("s1").kernel_ids.size(), 2u);
}

TEST(SessionTransitions, PlacesOnlyOnAgentsThatAreAlive) {
  for (const auto& gone : {agent_lost("a1"), agent_left("a1"), agent_fenced("a1")})
    given(definitions() + agent("a1") + Events{session_requested("s1"), gone})
        .when({session_scheduled("s1", "a1")})
        .then_forbidden("not alive");
  given(definitions() + Events{agent_enrolled("a1"), session_requested("s1")})
      .when({session_scheduled("s1", "a1")})
      .then_forbidden("not alive");
}

TEST(SessionResult, IsForBatchSessionsOnly) {
  struct Row {
    bool batch;
    std::int32_t exit;
    bool terminated;
    projections::SessionResult result;
  };
  using enum projections::SessionResult;
  for (const Row& row :
       {Row{true, 0, false, kSuccess}, Row{true, 3, false, kFailed}, Row{true, 0, true, kFailed},
        Row{false, 0, false, kNone}, Row{false, 3, false, kNone}}) {
    Given g = given(definitions() + agent("a1") +
                    Events{session_requested("s1", row.batch ? Spec().batch() : Spec()),
                           session_scheduled("s1", "a1"), kernel_running(kKernel)});
    if (row.terminated) g.and_given({session_terminating("s1")});
    g.and_given({kernel_terminated(kKernel, v1::EXITED, row.exit)});
    EXPECT_EQ(g.status("s1"), kTerminated);
    EXPECT_EQ(g.session("s1").result, row.result) << row.batch << row.exit << row.terminated;
    EXPECT_EQ(g.session("s1").exit_code, row.exit);
  }
}

TEST(SessionResult, AnUnknownResultIsAFailure) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1", Spec().batch()), session_scheduled("s1", "a1"),
                         kernel_terminated(kKernel, v1::RESULT_UNKNOWN)});
  EXPECT_EQ(g.session("s1").result, projections::SessionResult::kFailed);
}

}  // namespace
}  // namespace berth::testing
