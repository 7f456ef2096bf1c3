// tests/BEHAVIOURS.md section 7: rows that the fold decides.
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

using enum projections::SessionStatus;

// A gang of three kernels, main1..main3, on a1.
Given gang() {
  return given(definitions() + agent("a1") +
               Events{session_requested("s1", Spec().kernels(3)),
                      session_scheduled("s1", {{"a1"}, {"a1", {}, "main", 2}, {"a1", {}, "main", 3}})});
}
std::string k(std::uint32_t index) { return kernel_name("s1", "main", index); }

TEST(Lifecycle, PromotionNeedsAllKernels) {
  Given g = gang();
  g.and_given({kernel_running(k(1)), kernel_running(k(2))});
  EXPECT_EQ(g.status("s1"), kScheduled);
  g.and_given({kernel_running(k(3))});
  EXPECT_EQ(g.status("s1"), kRunning);
  EXPECT_EQ(g.session("s1").running_at, g.journal().time() - kMillisecond);
}

TEST(Lifecycle, LC5_PreparedWhenNoneIsLeftEarlier) {
  Given g = gang();
  g.and_given({kernel_prepared(k(1)), kernel_running(k(2)), kernel_pulling(k(3), 5)});
  EXPECT_EQ(g.status("s1"), kPulling) << "(PREPARED, RUNNING, PULLING) is not";
  g.and_given({kernel_prepared(k(3))});
  EXPECT_EQ(g.status("s1"), kPrepared) << "(PREPARED, RUNNING, PREPARED) is";
}

TEST(Lifecycle, LC7_OneKernelsEndEndsItsSession) {
  Given g = gang();
  g.and_given({kernel_running(k(1)), kernel_running(k(2)), kernel_running(k(3)),
               kernel_terminated(k(2), v1::SIGNALLED, 139)});
  EXPECT_EQ(g.status("s1"), kTerminating);
}

TEST(Lifecycle, LC7_TheOthersAreToldToStopOnceAndTheirAgentsHear) {
  Given g = gang();
  g.and_given({kernel_terminated(k(1))});
  ASSERT_EQ(g.projection().notes().size(), 1u) << "one note for the agent of all three";
  EXPECT_EQ(g.projection().notes()[0].agent, "a1");
}

TEST(Lifecycle, LC8_TerminatedWhenAllHaveEnded) {
  Given g = gang();
  g.and_given({session_terminating("s1"), kernel_terminated(k(1), v1::STOPPED),
               kernel_terminated(k(2), v1::NEVER_STARTED)});
  EXPECT_EQ(g.status("s1"), kTerminating) << "one is still ending";
  g.and_given({kernel_terminated(k(3), v1::STOPPED)});
  EXPECT_EQ(g.status("s1"), kTerminated);
  EXPECT_EQ(g.session("s1").ended_at, g.journal().time() - kMillisecond);
}

TEST(Lifecycle, LC9_ASecondEndKeepsTheFirst) {
  Given g = gang();
  for (const std::uint32_t i : {1u, 2u, 3u}) g.and_given({kernel_terminated(k(i), v1::EXITED, 7)});
  const auto before = g.session("s1");
  g.when({kernel_terminated(k(1), v1::SIGNALLED, 9)}).then_forbidden("does not go from TERMINATED");
  EXPECT_EQ(g.session("s1").ended_at, before.ended_at);
  EXPECT_EQ(g.session("s1").exit_code, 7);
  EXPECT_EQ(g.kernel(k(1)).exit_code, 7);
}

TEST(Lifecycle, LC13_ForceShowsTheEndAndFreesNothingUntilItIsConfirmed) {
  Given g = gang();
  const Amount held = g.taken("a1", "cpu");
  g.and_given({session_terminating("s1", "user-requested", true)});
  EXPECT_TRUE(g.session("s1").forced);
  EXPECT_EQ(g.taken("a1", "cpu"), held);
  for (const std::uint32_t i : {1u, 2u, 3u}) g.and_given({kernel_terminated(k(i), v1::STOPPED)});
  EXPECT_EQ(g.taken("a1", "cpu"), 0);
}

TEST(Lifecycle, P25_TerminatingTwiceMayTurnItIntoAForcedOneButNeverBack) {
  Given g = gang();
  g.and_given({session_terminating("s1"), session_terminating("s1", "user-requested", true),
               session_terminating("s1")});
  EXPECT_TRUE(g.session("s1").forced);
}

TEST(Lifecycle, LC16_ANameIsUniqueAmongAUsersLiveSessions) {
  auto named = [](const std::string& id, const std::string& user) {
    auto event = session_requested(id, Spec(), user);
    event.mutable_session_requested()->set_name("train");
    return event;
  };
  const Events one = definitions() + Events{named("s1", "alice")};
  given(one).when({named("s2", "alice")}).then_forbidden("live session named");
  given(one).when({named("s2", "bob")}).then_applied();
  Given g = given(one);
  g.and_given({session_cancelled("s1")});
  g.when({named("s2", "alice")}).then_applied();
  EXPECT_EQ(g.state().find_live("alice", "train")->id, session_id("s2"));
}

TEST(Lifecycle, ANameIsFreeAgainWhenARecordThatTookItIsVoid) {
  Given g = given(definitions());
  g.when({session_requested("s1"), session_cancelled("nobody")}).then_forbidden("event 1");
  EXPECT_EQ(g.state().find_live("alice", "s1"), nullptr);
  g.when_elected().then_applied();
  g.when({session_requested("s1")}).then_applied();
}

TEST(Timers, FollowTheSession) {
  using projections::TimerKind;
  const auto kinds = [](const Given& g) {
    std::vector<std::pair<TimerKind, Timestamp>> out;
    for (const auto& timer : g.state().timers()) out.emplace_back(timer.kind, timer.due);
    return out;
  };
  Given g = given(definitions() + agent("a1"));
  const Timestamp asked = g.journal().time();
  g.and_given({session_requested(
      "s1", Spec().batch().pending_timeout(kHour).start_at(asked + kMinute).batch_timeout(kSecond))});
  using Due = std::vector<std::pair<TimerKind, Timestamp>>;
  EXPECT_EQ(kinds(g), (Due{{TimerKind::kPendingTimeout, asked + kHour}})) << "a start time is the feed's";
  g.and_given({session_scheduled("s1", "a1")});
  EXPECT_EQ(kinds(g), Due{});
  const Timestamp ran = g.journal().time();
  g.and_given({kernel_running(kernel_name("s1"))});
  EXPECT_EQ(kinds(g), (Due{{TimerKind::kBatchTimeout, ran + kSecond}}));
  g.and_given({session_terminating("s1")});
  EXPECT_EQ(kinds(g), Due{});
}

}  // namespace
}  // namespace berth::testing
