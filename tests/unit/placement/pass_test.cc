#include <gtest/gtest.h>

#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

const Amounts kDemo{{"cpu", "0.5"}, {"mem", "256m"}, {"cuda.shares", "1"}};

void one_gpu_of_two_shares(TestCluster& t) {
  t.agent("a1", {{"cpu", "4"}, {"mem", "8g"}}, {}, {{"gpu0", {{"cuda.shares", "2"}}, {}}});
}

TEST(Pass, TheStoryTwoOfThreeStartAndTheThirdNamesItsSlotOnly) {
  TestCluster t;
  one_gpu_of_two_shares(t);
  for (const char* name : {"demo-1", "demo-2", "demo-3"}) t.session(name, kDemo);
  EXPECT_EQ(t.pass(), (Lines{"demo-1 -> a1 gpu0:cuda.shares=1", "demo-2 -> a1 gpu0:cuda.shares=1",
                             "demo-3: no-capacity cuda.shares"}));
  EXPECT_FALSE(t.cluster.needs_pass("default"));
  EXPECT_EQ(t.pass(), Lines{});
  t.end("demo-1");
  EXPECT_TRUE(t.cluster.needs_pass("default"));
  EXPECT_EQ(t.pass(), Lines{"demo-3 -> a1 gpu0:cuda.shares=1"});
  EXPECT_EQ(t.cluster.pending_count(), 0u);
}

TEST(Pass, EnoughInSumButOnNoSingleDeviceIsNoDevice) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}}, {},
          {{"gpu0", {{"cuda.shares", "1"}}, {{"cuda.shares", "0.5"}}},
           {"gpu1", {{"cuda.shares", "1"}}, {{"cuda.shares", "0.5"}}}});
  t.session("s1", {{"cuda.shares", "1"}});
  EXPECT_EQ(t.pass(), Lines{"s1: no-device cuda.shares"});
}

TEST(Pass, StrictLeavesEveryoneBehindABlockedHead) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}});
  t.session("big", {{"cpu", "8"}}, 10);
  t.session("small", {{"cpu", "1"}}, 1);
  EXPECT_EQ(t.pass(), (Lines{"big: no-capacity cpu", "small: behind-head"}));
  t.session("late", {{"cpu", "1"}}, 1);
  EXPECT_EQ(t.pass(), Lines{"late: behind-head"});
  t.cluster.remove_pending(session_id("big"));
  EXPECT_EQ(t.pass(), (Lines{"small -> a1", "late -> a1"}));
}

TEST(Pass, GreedyGoesOnToTheNext) {
  TestCluster t;
  t.policy.head_of_line = HeadOfLine::kGreedy;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "2"}});
  t.session("a", {{"cpu", "4"}});
  t.session("b", {{"cpu", "1"}});
  t.session("c", {{"cpu", "4"}});
  EXPECT_EQ(t.pass(), (Lines{"a: no-capacity cpu", "b -> a1", "c: no-capacity cpu"}));
}

// "big" fits nowhere and stands before "small" until it was refused twice.
struct BlockedTwice : TestCluster {
  BlockedTwice() {
    policy.head_of_line = HeadOfLine::kSkipAfterN;
    policy.skip_after = 2;
    set_policy(policy);
    agent("a1", {{"cpu", "4"}});
    session("big", {{"cpu", "8"}});
    session("small", {{"cpu", "1"}});
  }
};

TEST(Pass, SkipAfterNPutsTheBlockerBehindItsBandWhenItWasRefusedOften) {
  BlockedTwice t;
  const PassOptions counting{1000, true, false};
  EXPECT_EQ(t.pass(counting), (Lines{"big: no-capacity cpu", "big retried 1", "small: behind-head"}));
  EXPECT_EQ(t.pass(), Lines{});
  EXPECT_EQ(t.pass(counting), Lines{"big retried 2"});
  EXPECT_EQ(t.pass(counting), Lines{"small -> a1"});
}

TEST(Pass,
     SkipAfterNComesTrueThoughNothingElseHappens) {  // tests/BEHAVIOURS.md, head of line: interval passes
                                                     // count
  BlockedTwice t;
  t.pass({1000, true, false});
  EXPECT_FALSE(t.cluster.needs_pass("default"));
  t.cluster.interval_passed();
  EXPECT_TRUE(t.cluster.needs_pass("default"));
  EXPECT_EQ(t.pass({1000, true, false}), Lines{"big retried 2"});
  EXPECT_TRUE(t.cluster.needs_pass("default")) << "nobody stands behind it any more";
  EXPECT_EQ(t.pass(), Lines{"small -> a1"});
  t.cluster.interval_passed();
  EXPECT_FALSE(t.cluster.needs_pass("default")) << "no head blocks";
}

TEST(Pass, WhatIsSpecificToASessionBlocksNobody) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}});
  PendingSpec arm = t.session_spec("arm", {{"cpu", "1"}}, 20);
  arm.kernels[0].arch = "aarch64";
  t.wait(arm);
  t.session("s1", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), (Lines{"arm: architecture", "s1 -> a1"}));
}

TEST(Pass, ANewMemberClosesTheAgentToAStrictSpreadWhichBlocksNobodyThen) {  // tests/BEHAVIOURS.md 3.5, PS8
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}});
  PendingSpec big = t.session_spec("big", {{"cpu", "8"}});
  big.session_group = {"g", GroupRule::kSpread, true};
  t.wait(big);
  EXPECT_EQ(t.pass(), Lines{"big: no-capacity cpu"});
  PendingSpec member = t.session_spec("member", {{"cpu", "1"}}, 20);
  member.session_group = big.session_group;
  t.wait(member);
  t.session("small", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), (Lines{"member -> a1", "big: session-group", "small -> a1"}));
}

TEST(Pass, ABudgetOfOneGivesTheSameDecisionsInMoreCalls) {
  TestCluster t;
  one_gpu_of_two_shares(t);
  for (const char* name : {"demo-1", "demo-2", "demo-3"}) t.session(name, kDemo);
  EXPECT_EQ(t.pass({1, false, false}),
            (Lines{"demo-1 -> a1 gpu0:cuda.shares=1", "demo-2 -> a1 gpu0:cuda.shares=1",
                   "demo-3: no-capacity cuda.shares"}));
}

TEST(Pass, SessionsOnHoldAreNotTriedAndKeepTheirReason) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}});
  PendingSpec later = t.session_spec("later", {{"cpu", "1"}});
  later.wait_cause = {Code::kStartTime, kNoSlot};
  t.wait(later);
  EXPECT_EQ(t.pass(), Lines{"later: start-time"});
  t.cluster.set_wait_cause(later.id, {});
  EXPECT_EQ(t.pass(), Lines{"later -> a1"});
}

TEST(Pass, NoAgentsAndAllDrainingAreTheSameReasonAndBlockNobody) {
  TestCluster t;
  t.session("s1", {{"cpu", "1"}});
  t.session("s2", {{"cpu", "2"}});
  EXPECT_EQ(t.pass(), (Lines{"s1: no-agents", "s2: no-agents"}));
  t.agent("a1", {{"cpu", "1"}});
  t.drain("a1");
  EXPECT_EQ(t.pass(), Lines{});
  t.drain("a1", false);
  EXPECT_EQ(t.pass(), (Lines{"s1 -> a1", "s2: no-capacity cpu"}));
}

}  // namespace
}  // namespace berth::placement::testing
