// The fold of preemption: a place held, who makes room for it, what is forbidden; and agents that are avoided
// (tests/BEHAVIOURS.md section 4).
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

using enum projections::SessionStatus;

// "low" runs on all 8 cpus of a1; "high" waits.
Events full(Spec low = Spec(), Spec high = Spec()) {
  return definitions() + agent("a1") +
         Events{session_requested("low", low.cpu(8)), session_scheduled("low", "a1"),
                kernel_running(kernel_name("low")), session_requested("high", high.cpu(4).job_priority(5))};
}

Events plan() { return {session_preempted("low", "high"), session_reserved("high", "a1")}; }
Events put_back() { return {session_put_back("low", "high"), session_reserved("high", "a1")}; }
v1::Event low_ends(v1::KernelEnd end = v1::STOPPED) { return kernel_terminated(kernel_name("low"), end); }

TEST(FoldPreemption, G11_APlaceIsHeldThoughNothingIsFreeAndTakesNothing) {
  Given g = given(full());
  g.when(plan()).then_applied();
  EXPECT_EQ(g.status("high"), kReserved);
  EXPECT_EQ(g.session("high").reason_code, "preempting");
  ASSERT_EQ(g.session("high").places.size(), 1u);
  EXPECT_EQ(g.session("high").places[0].agent, "a1");
  EXPECT_EQ(g.taken("a1", "cpu"), 8 * kUnit);
  EXPECT_EQ(g.status("low"), kTerminating);
  EXPECT_EQ(g.session("low").preemptor, session_id("high"));
  EXPECT_TRUE(g.state().reserved().contains(session_id("high")));
}

TEST(FoldPreemption, ARowSaysWhoseTheSessionIsThatItMakesRoomForUntilItIsPlacedAgain) {
  const Events bobs =
      definitions() + agent("a1") +
      Events{user_defined("bob"), session_requested("low", Spec().cpu(8)), session_scheduled("low", "a1"),
             session_requested("high", Spec().cpu(4).job_priority(5), "bob")};
  for (const Events& plan : {plan(), put_back()}) {
    Given g = given(bobs);
    g.when(plan).then_applied();
    ASSERT_NE(g.session("low").preemptor_owner, nullptr);
    EXPECT_EQ(g.session("low").preemptor_owner->owner.user(), "bob");
  }
  Given back = given(bobs);
  back.when(put_back()).then_applied();
  back.and_given({low_ends(), session_requeued("low", 0, "preempted"), session_scheduled("high", "a1"),
                  kernel_terminated(kernel_name("high")), session_scheduled("low", "a1", 2)});
  EXPECT_EQ(back.session("low").preemptor_owner, nullptr);
}

TEST(FoldPreemption, TheHolderIsPlacedWhenTheVictimsHaveEndedAndNotBefore) {
  Given g = given(full());
  g.when(plan()).then_applied();
  g.when({session_scheduled("high", "a1")}).then_forbidden("beyond capacity");
  g.when_elected();
  g.and_given({low_ends(), session_scheduled("high", "a1")});
  EXPECT_EQ(g.status("high"), kScheduled);
  EXPECT_TRUE(g.session("high").places.empty());
  EXPECT_EQ(g.session("high").reason_code, "");
  EXPECT_EQ(g.taken("a1", "cpu"), 4 * kUnit);
  EXPECT_TRUE(g.state().reserved().empty());
}

TEST(FoldPreemption, TheHolderIsPlacedNowhereElse) {
  Given g = given(full() + agent("a2"));
  g.when(plan()).then_applied();
  g.when({session_scheduled("high", "a2")}).then_forbidden("a place held, and this is another");
}

TEST(FoldPreemption, P4_AnOverlargeHoldVoidsTheWholePlan) {
  Given g =
      given(full(Spec(), Spec().cpu(4)) + Events{session_requested("huge", Spec().cpu(9).job_priority(9))});
  g.when({session_preempted("low", "huge"), session_reserved("huge", "a1")})
      .then_forbidden("held beyond capacity");
  EXPECT_EQ(g.status("low"), kRunning);
  EXPECT_EQ(g.status("huge"), kPending);
}

TEST(FoldPreemption, G11_AHoldCountsThoseWhoStayAndOtherHolds) {
  const auto low = [](Amount cpu) { return Spec().cpu(cpu); };
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("stays", low(4)), session_scheduled("stays", "a1"),
                         session_requested("goes", low(4)), session_scheduled("goes", "a1"),
                         session_requested("h1", low(3).job_priority(5)),
                         session_requested("h2", low(2).job_priority(5)),
                         session_requested("h3", low(1).job_priority(5))});
  g.when({session_reserved("h1", "a1")}).then_forbidden("held beyond capacity");  // nobody goes for it
  g.when_elected().when({session_preempted("goes", "h1"), session_reserved("h1", "a1")}).then_applied();
  g.when({session_reserved("h2", "a1")}).then_forbidden("held beyond capacity");  // 4 stay, 3 are held
  g.when_elected().when({session_reserved("h3", "a1")}).then_applied();  // two plans, one agent (ADR 0055)
}

TEST(FoldPreemption, HeldDevicesAreTheirs) {
  const auto shares = [](Amount amount) { return Spec().shares(amount).job_priority(5); };
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("h1", shares(kUnit)), session_requested("h2", shares(kUnit))});
  const auto on = [](const char* device) { return std::vector<Placed>{{"a1", {{device, kUnit}}}}; };
  g.and_given({session_reserved("h1", on("gpu0"))});
  g.when({session_reserved("h2", on("gpu0"))}).then_forbidden("held beyond capacity");
  g.when_elected();
  g.and_given({session_reserved("h2", on("gpu1"))});
}

// Who may be preempted is the scheduler's alone to say.
TEST(FoldPreemption, WhomTheSchedulerNamesMakesRoom) {
  for (const Spec& low :
       {Spec().job_priority(5), Spec().job_priority(6), Spec().not_preemptible(), Spec().type(v1::SYSTEM)})
    for (const Events& events : {plan(), put_back()}) given(full(low)).when(events).then_applied();
}

TEST(FoldPreemption, NobodyIsPreemptedTwice) {
  for (const Events& first : {plan(), put_back()})
    for (const bool terminate : {true, false}) {
      Given g = given(full() + Events{session_requested("other", Spec().job_priority(9))});
      g.when(first).then_applied();
      g.when({terminate ? session_preempted("low", "other") : session_put_back("low", "other")})
          .then_forbidden("no place to give");
    }
}

TEST(FoldPreemption, PR19_WhatHasEndedIsNotDraggedBack) {
  for (const Events& events : {plan(), put_back()}) {
    Given g = given(full());
    g.and_given({low_ends(v1::EXITED)});
    g.when(events).then_forbidden("event 0");
    EXPECT_EQ(g.status("low"), kTerminated);
  }
}

TEST(FoldPreemption, OnlyOneThatWaitsPreempts) {
  Given g = given(full());
  g.and_given({session_cancelled("high")});
  g.when({session_preempted("low", "high")}).then_forbidden("not PENDING");
}

TEST(FoldPreemption, PR18_ModeTerminateEndsTheVictimWithItsReason) {
  Given g = given(full(Spec().batch()));
  g.when(plan()).then_applied();
  ASSERT_EQ(g.projection().notes().size(), 1u);  // a stop for a1
  EXPECT_EQ(g.projection().notes()[0].agent, "a1");
  g.and_given({low_ends()});
  EXPECT_EQ(g.status("low"), kTerminated);
  EXPECT_EQ(g.session("low").reason_code, "preempted");
  EXPECT_EQ(g.session("low").result, projections::SessionResult::kFailed);
}

TEST(FoldPreemption, PR18_ModeRescheduleSendsTheVictimBackOnceAllHasEnded) {
  Given g = given(full());
  g.when(put_back()).then_applied();
  EXPECT_EQ(g.status("low"), kRescheduling);
  ASSERT_EQ(g.projection().notes().size(), 1u);
  EXPECT_EQ(g.projection().notes()[0].agent, "a1");
  g.when({session_requeued("low", 0, "preempted")}).then_forbidden("still holds slots");
  g.when_elected().and_given({low_ends(), session_requeued("low", 0, "preempted")});
  EXPECT_EQ(g.status("low"), kPending);
  EXPECT_EQ(g.session("low").reason_code, "preempted");
  EXPECT_EQ(g.session("low").preemptor, session_id("high"));
  EXPECT_EQ(g.session("low").attempts, 0u);
  EXPECT_TRUE(g.session("low").kernel_ids.empty());
  EXPECT_EQ(g.taken("a1", "cpu"), 0);
  g.and_given({session_scheduled("low", "a1", 2)});
  EXPECT_TRUE(g.session("low").preemptor.is_nil());
}

TEST(FoldPreemption, PR18_AStartThatWasCutShortIsNoFailedStart) {
  Given g = given(full());
  g.when(put_back()).then_applied();
  g.and_given({low_ends(v1::START_FAILED)});
  EXPECT_EQ(g.session("low").reason_code, "preempted");
  EXPECT_TRUE(g.session("low").failed_on.empty());
}

TEST(FoldPreemption, AVictimThatIsToGoBackMayStillBeEnded) {
  Given g = given(full());
  g.when(put_back()).then_applied();
  g.and_given({session_terminating("low"), low_ends()});
  EXPECT_EQ(g.status("low"), kTerminated);
}

TEST(FoldPreemption, G14_ACancelledHolderHoldsNothing) {
  Given g = given(full());
  g.when(plan()).then_applied();
  g.and_given({session_cancelled("high")});
  EXPECT_TRUE(g.session("high").places.empty());
  EXPECT_TRUE(g.state().reserved().empty());
  g.and_given({low_ends(), session_requested("third", Spec().cpu(8)), session_scheduled("third", "a1")});
}

TEST(FoldPreemption, AHolderStaysInTheQueueAndCountsAsPending) {
  Given g = given(full(Spec(), Spec().pending_timeout(kHour)));
  g.when(plan()).then_applied();
  EXPECT_EQ(g.state().pending().size(), 1u);
  EXPECT_EQ(g.state().usage().find("user/alice").pending, 1);
  ASSERT_EQ(g.state().timers().size(), 1u);
  EXPECT_EQ(g.state().timers().begin()->kind, projections::TimerKind::kPendingTimeout);
}

TEST(FoldPreemption, AHolderGoesOnWaitingWhenItsPlaceIsGivenUp) {
  Given g = given(full());
  g.when(plan()).then_applied();
  g.and_given({session_unreserved("high")});
  EXPECT_EQ(g.status("high"), kPending);
  EXPECT_TRUE(g.session("high").places.empty());
  EXPECT_EQ(g.session("high").reason_code, "");
}

// ---- agents that failed a session ----

Events failed_start(const std::string& agent, std::uint32_t attempt) {
  return {session_scheduled("s1", agent, attempt),
          kernel_terminated(kernel_name("s1", "main", 1, attempt), v1::START_FAILED, 0, attempt),
          session_requeued("s1", attempt)};
}

TEST(FoldFailedOn, RemembersAnAgentForAnHourOnce) {
  Given g = given(definitions() + agent("a1") + agent("a2") + Events{session_requested("s1")});
  g.and_given(failed_start("a1", 1) + failed_start("a2", 2) + failed_start("a1", 3));
  ASSERT_EQ(g.session("s1").failed_on.size(), 2u);
  EXPECT_EQ(g.session("s1").failed_on[0].agent, "a2");
  EXPECT_EQ(g.session("s1").failed_on[1].agent, "a1");
  g.after(kHour + kSecond).and_given(failed_start("a2", 4));
  ASSERT_EQ(g.session("s1").failed_on.size(), 1u);  // the old ones are over
  EXPECT_EQ(g.session("s1").failed_on[0].until,
            g.journal().time() - 2 * kMillisecond + projections::kFailedOnFor);
}

TEST(FoldFailedOn, RemembersAtMostEight) {
  Events history = definitions();
  for (int i = 1; i <= 9; ++i) history = history + agent("a" + std::to_string(i));
  Given g = given(history + Events{session_requested("s1")});
  for (std::uint32_t i = 1; i <= 9; ++i) g.and_given(failed_start("a" + std::to_string(i), i));
  ASSERT_EQ(g.session("s1").failed_on.size(), projections::kFailedOnMax);
  EXPECT_EQ(g.session("s1").failed_on[0].agent, "a2");
}

TEST(FoldFailedOn, OtherEndsSayNothingOfTheAgent) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1", Spec().requeueable()), session_scheduled("s1", "a1")});
  g.and_given({kernel_terminated(kernel_name("s1"), v1::AGENT_LOST)});
  EXPECT_TRUE(g.session("s1").failed_on.empty());
}

}  // namespace
}  // namespace berth::testing
