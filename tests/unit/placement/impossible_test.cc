// What no agent of a group could hold even when empty, in groups that skip it.
#include <gtest/gtest.h>

#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

struct Impossible : ::testing::Test {
  Impossible() {
    t.policy.skip_impossible = true;
    t.set_policy(t.policy);
  }
  PendingSpec gang(const std::string& name, const Amounts& slots, std::uint32_t count) {
    PendingSpec spec = t.session_spec(name, slots);
    spec.mode = Mode::kMultiNode;
    spec.kernels[0].count = count;
    return spec;
  }
  void send_away(const std::string& id, const Amounts& slots, bool lost) {
    AgentSpec spec = t.agent_spec(id, slots);
    (lost ? spec.schedulable : spec.draining) = lost ? false : true;
    t.cluster.upsert_agent(spec);
  }

  TestCluster t;
};

TEST_F(Impossible, BlocksNobodyWhereTheGroupSkipsIt) {
  t.agent("a1", {{"cpu", "4"}});
  t.session("big", {{"cpu", "64"}}, 20);
  t.session("small", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), (Lines{"big: never cpu", "small -> a1"}));
  t.session("late", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), Lines{"late -> a1"});
}

TEST_F(Impossible, BlocksAsAnyOtherWhereTheGroupDoesNotSkipIt) {
  t.policy.skip_impossible = false;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "4"}});
  t.session("big", {{"cpu", "64"}}, 20);
  t.session("small", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), (Lines{"big: no-capacity cpu", "small: behind-head"}));
}

TEST_F(Impossible, StartsOnceALargerAgentJoins) {
  t.agent("a1", {{"cpu", "4"}});
  t.session("big", {{"cpu", "8"}});
  EXPECT_EQ(t.pass(), Lines{"big: never cpu"});
  t.agent("a2", {{"cpu", "8"}});
  EXPECT_EQ(t.pass(), Lines{"big -> a2"});
}

TEST_F(Impossible, WhatAFullAgentCouldHoldWhenEmptyBlocksAsBefore) {
  t.agent("a1", {{"cpu", "4"}}, {{"cpu", "1"}});
  t.session("first", {{"cpu", "3"}});
  t.session("second", {{"cpu", "4"}});
  t.session("third", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), (Lines{"first -> a1", "second: no-capacity cpu", "third: behind-head"}));
}

TEST_F(Impossible, AgentsThatAreLostOrDrainCountAndRemovedOnesDoNot) {
  for (const bool lost : {true, false}) {
    t.agent("a1", {{"cpu", "2"}});
    send_away("a2", {{"cpu", "8"}}, lost);
    t.session("big", {{"cpu", "8"}});
    EXPECT_EQ(t.pass(), Lines{"big: no-capacity cpu"});
    t.cluster.remove_agent("a2");
    EXPECT_EQ(t.pass(), Lines{"big: never cpu"});
    t.cluster.remove_pending(session_id("big"));
  }
}

TEST_F(Impossible, IsLookedAtAgainWhenAnAgentChangesItsCapacityOrItsGroup) {
  t.cluster.define_group("other", t.policy);
  t.agent("a1", {{"cpu", "8"}}, {{"cpu", "1"}});
  t.agent("a2", {{"cpu", "2"}});
  t.session("big", {{"cpu", "8"}});
  EXPECT_EQ(t.pass(), Lines{"big: no-capacity cpu"});
  t.agent("a1", {{"cpu", "4"}});
  EXPECT_EQ(t.pass(), Lines{"big: never cpu"});
  t.agent("a1", {{"cpu", "8"}}, {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), Lines{"big: no-capacity cpu"});
  AgentSpec moved = t.agent_spec("a1", {{"cpu", "8"}});
  moved.group = "other";
  t.cluster.upsert_agent(moved);
  EXPECT_EQ(t.pass(), Lines{"big: never cpu"});
}

TEST_F(Impossible, AGroupWithoutAgentsHasNoAgents) {
  t.session("s1", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), Lines{"s1: no-agents"});
}

TEST_F(Impossible, CountsTheArchitectureAndTheDesignatedAgents) {
  t.agent("a1", {{"cpu", "4"}});
  t.agent("a2", {{"cpu", "8"}});
  PendingSpec arm = t.session_spec("arm", {{"cpu", "1"}});
  arm.kernels[0].arch = "aarch64";
  t.wait(arm);
  PendingSpec there = t.session_spec("there", {{"cpu", "6"}});
  there.designated = {{"a1"}, true};
  t.wait(there);
  PendingSpec rather = t.session_spec("rather", {{"cpu", "6"}});
  rather.designated = {{"a1"}, false};
  t.wait(rather);
  EXPECT_EQ(t.pass(), (Lines{"arm: never", "there: never cpu", "rather -> a2"}));
}

TEST_F(Impossible, CountsWhatDevicesCanGive) {
  t.agent("a1", {{"cpu", "8"}}, {},
          {{"gpu0", {{"cuda.shares", "1"}}, {}}, {"gpu1", {{"cuda.shares", "1"}}, {}}});
  PendingSpec three = t.session_spec("three", {{"cuda.shares", "0.6"}});
  three.kernels[0].count = 3;
  t.wait(three);
  EXPECT_EQ(t.pass(), Lines{"three: never cuda.shares"});
}

TEST_F(Impossible, KernelsOfASingleNodeSessionCountTogetherAndThoseOfAGangApart) {
  t.agent("a1", {{"cpu", "4"}});
  t.agent("a2", {{"cpu", "4"}});
  PendingSpec together = t.session_spec("together", {{"cpu", "3"}});
  together.kernels[0].count = 2;
  t.wait(together);
  t.wait(gang("apart", {{"cpu", "3"}}, 2));
  EXPECT_EQ(t.pass(), (Lines{"together: never cpu", "apart -> a1 a2"}));
}

TEST_F(Impossible, AGangThatTheEmptyGroupCannotHoldIsNeverAndNoSlotIsToBlame) {
  t.agent("a1", {{"cpu", "4"}});
  t.agent("a2", {{"cpu", "4"}});
  t.session("runs", {{"cpu", "1"}});
  t.wait(gang("three", {{"cpu", "3"}}, 3));
  t.wait(gang("two", {{"cpu", "4"}}, 2));
  t.session("late", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), (Lines{"runs -> a1", "three: never", "two: no-capacity cpu", "late: behind-head"}));
}

TEST_F(Impossible, FailedStartsAndMembersOfASessionGroupDoNotCount) {
  t.agent("a1", {{"cpu", "2"}});
  PendingSpec failed = t.session_spec("failed", {{"cpu", "1"}});
  failed.failed_on = {{"a1", kHour}};
  failed.session_group = {"g", GroupRule::kSpread, true};
  t.wait(failed);
  PendingSpec spread = t.session_spec("spread", {{"cpu", "1"}});
  spread.session_group = {"g", GroupRule::kSpread, true};
  t.wait(spread);
  EXPECT_EQ(t.pass(), (Lines{"failed -> a1", "spread: session-group"}));
}

}  // namespace
}  // namespace berth::placement::testing
