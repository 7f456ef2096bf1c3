// What keeps a session from being tried, from the fold through the mirror to a pass: limits, dependencies,
// roles, agents.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/limits.h"
#include "tests/unit/feed/pass_fixture.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

class Waiting : public PassTest {};

using Lines = std::vector<std::string>;

TEST_F(Waiting, WhatThePassItselfPlacedCountsAgainstTheLimit) {
  given_.and_given({Limit("user", "alice").slot("cpu", 3 * kUnit), session_requested("s1", Spec().cpu(2)),
                    session_requested("s2", Spec().cpu(2)), session_requested("s3", Spec().cpu(1))});
  EXPECT_EQ(pass(), (Lines{"s1 a1", "s2 limit", "s3 a2"}));
}

TEST_F(Waiting, ALimitIsLiftedWhenSomethingEndsAndSaidOnce) {
  given_.and_given({Limit("user", "alice").sessions(1), session_requested("s1"), session_requested("s2"),
                    session_requested("s3")});
  EXPECT_EQ(pass(), (Lines{"s1 a1", "s2 limit", "s3 limit"}));
  EXPECT_EQ(pass(), (Lines{}));
  end("s1");
  EXPECT_EQ(pass(), (Lines{"s2 a1"}));  // s3's reason is recorded already
}

TEST_F(Waiting, ALimitIsLiftedWhenItIsRaisedOrRemoved) {
  given_.and_given(
      {Limit("domain", "default").sessions(0), session_requested("s1"), session_requested("s2")});
  EXPECT_EQ(pass(), (Lines{"s1 limit", "s2 limit"}));
  given_.and_given({Limit("domain", "default").sessions(1)});
  EXPECT_EQ(pass(), (Lines{"s1 a1"}));
  given_.and_given({limit_removed("domain", "default")});
  EXPECT_EQ(pass(), (Lines{"s2 a2"}));
}

TEST_F(Waiting, OverALimitBlocksNobodyElse) {
  given_.and_given(
      {Limit("user", "alice").sessions(0), session_requested("s1"), session_requested("b1", Spec(), "bob")});
  EXPECT_EQ(pass(), (Lines{"s1 limit", "b1 a1"}));
}

TEST_F(Waiting, AnAgentThatCanStartNoKernelTakesNothingUntilItJoinsAsFit) {
  v1::Event unfit = agent_joined("a1", 8, 16 * kGiga, {}, 2);
  unfit.mutable_agent_joined()->set_unfit("start-failed: no cgroup");
  given_.and_given({unfit, session_requested("s1"), session_requested("s2")});
  EXPECT_EQ(pass(), (Lines{"s1 a2", "s2 a2"}));
  lead();  // a new leader knows it
  given_.and_given({session_requested("s3")});
  EXPECT_EQ(pass(), (Lines{"s3 a2"}));
  unfit = agent_joined("a2", 8, 16 * kGiga, {}, 2);
  unfit.mutable_agent_joined()->set_unfit("start-failed: no cgroup");
  given_.and_given({agent_joined("a1", 8, 16 * kGiga, {}, 3), unfit, session_requested("s4")});
  EXPECT_EQ(pass(), (Lines{"s4 a1"}));
}

TEST_F(Waiting, WhatADisabledUserAskedForWaitsUntilTheUserIsEnabled) {
  v1::Event disabled = user_defined("alice");
  disabled.mutable_user_defined()->set_disabled(true);
  given_.and_given(
      {session_requested("s1"), disabled, session_requested("s2"), session_requested("b1", Spec(), "bob")});
  feed_.refresh(given_.state(), given_.journal().time());
  EXPECT_EQ(pass(), (Lines{"b1 a1", "s1 owner-disabled", "s2 owner-disabled"}));
  lead();  // a new leader knows it
  EXPECT_EQ(pass(), (Lines{}));
  given_.and_given({user_defined("alice")});
  feed_.refresh(given_.state(), given_.journal().time());
  EXPECT_EQ(pass(), (Lines{"s1 a2", "s2 a1"}));
}

// Of several causes one is told; that it ends says nothing about the others.
TEST_F(Waiting, B1_ALimitThatIsLiftedLeavesTheOtherCauses) {
  v1::Event disabled = user_defined("alice");
  disabled.mutable_user_defined()->set_disabled(true);
  given_.and_given({Limit("domain", "default").sessions(0), session_requested("s1"),
                    session_requested("b1", Spec(), "bob")});
  EXPECT_EQ(pass(), (Lines{"s1 limit", "b1 limit"}));
  given_.and_given({disabled, Limit("domain", "default").sessions(9)});
  feed_.refresh(given_.state(), given_.journal().time());
  EXPECT_EQ(pass(), (Lines{"b1 a1", "s1 owner-disabled"}));
  given_.and_given({user_defined("alice")});
  feed_.refresh(given_.state(), given_.journal().time());
  EXPECT_EQ(pass(), (Lines{"s1 a2"}));
}

TEST_F(Waiting, WhatAsksForAnImageThatIsBeingBuiltStartsWhenItIsThere) {
  const auto tried = [this] {
    feed_.refresh(given_.state(), given_.journal().time());
    return pass();
  };
  v1::SessionSpec of_sub = Spec().count_of("sub", 1);
  of_sub.mutable_roles(1)->set_image("jupyter:4.6");
  given_.and_given({image_building("jupyter:4.6", 1), session_requested("s1", Spec().image("jupyter:4.6")),
                    session_requested("s2", of_sub), session_requested("other")});
  EXPECT_EQ(tried(), (Lines{"other a1", "s1 image-building", "s2 image-building"}));
  given_.and_given({image_building("jupyter:4.6", 43)});
  EXPECT_EQ(tried(), (Lines{}));  // how far it is changes nothing that is recorded
  given_.and_given({image_build_failed("jupyter:4.6", "no room")});
  EXPECT_EQ(tried(), (Lines{"s1 image-build-failed", "s2 image-build-failed"}));
  lead();  // a new leader knows it
  EXPECT_EQ(tried(), (Lines{}));
  given_.and_given({image_building("jupyter:4.6", 0)});
  EXPECT_EQ(tried(), (Lines{"s1 image-building", "s2 image-building"}));
  given_.and_given({image_stored("jupyter:4.6")});
  EXPECT_EQ(tried(), (Lines{"s1 a2", "s2 a1 a1"}));
}

TEST_F(Waiting, AnImageThatIsBuiltAnewStaysUsableMeanwhile) {
  given_.and_given({image_stored("jupyter:4.6"), image_building("jupyter:4.6", 1),
                    session_requested("s1", Spec().image("jupyter:4.6")),
                    image_build_failed("jupyter:4.6", "no room"),
                    session_requested("s2", Spec().image("jupyter:4.6"))});
  feed_.refresh(given_.state(), given_.journal().time());
  EXPECT_EQ(pass(), (Lines{"s1 a1", "s2 a2"}));
}

TEST_F(Waiting, WhatWasAskedForBeforeItsImageWasThereRunsOnTheImagesArchitecture) {
  v1::Event image = image_stored("jupyter:4.6");
  image.mutable_image_registered()->set_architecture("aarch64");
  Spec early = Spec().image("jupyter:4.6");
  early.proto().clear_architecture();
  given_.and_given({image_building("jupyter:4.6", 1), session_requested("s1", early), image});
  feed_.refresh(given_.state(), given_.journal().time());
  EXPECT_EQ(pass(), (Lines{"s1 architecture"}));
}

TEST_F(Waiting, ADependentIsTriedWhenWhatItWaitsForSucceeded) {
  v1::SessionSpec after = Spec().batch();
  after.add_depends_on(testing::wire("d1"));
  given_.and_given({session_requested("d1", Spec().batch()), session_requested("s1", after)});
  EXPECT_EQ(pass(), (Lines{"d1 a1", "s1 dependency"}));
  EXPECT_EQ(pass(), (Lines{}));
  end("d1");
  EXPECT_EQ(pass(), (Lines{"s1 a1"}));
}

TEST_F(Waiting, AStartTimeThatIsReachedLeavesTheOtherHolds) {
  v1::SessionSpec spec = Spec().batch().start_at(given_.journal().time() + kHour);
  spec.add_depends_on(testing::wire("d1"));
  given_.and_given({session_requested("d1", Spec().batch().cpu(17)), session_requested("s1", spec)});
  EXPECT_EQ(pass(), (Lines{"d1 no-capacity", "s1 start-time"}));
  feed_.refresh(given_.state(), given_.journal().time() + kHour);
  EXPECT_EQ(pass(), (Lines{"s1 dependency"}));
}

TEST_F(Waiting, V6_AStartTimeBindsBatchSessionsOnly) {
  const Timestamp later = given_.journal().time() + kHour;
  given_.and_given({session_requested("i1", Spec().start_at(later)),
                    session_requested("b1", Spec().batch().start_at(later))});
  EXPECT_EQ(pass(), (Lines{"i1 a1", "b1 start-time"}));
}

TEST_F(Waiting, AMultiNodeClusterStandsOnTwoAgentsASingleNodeOneDoesNot) {
  v1::SessionSpec spec = Spec().cpu(10).count_of("sub", 1);
  spec.set_mode(v1::SINGLE_NODE);
  given_.and_given({session_requested("s1", spec)});
  EXPECT_EQ(pass(), (Lines{"s1 no-capacity"}));
  spec.set_mode(v1::MULTI_NODE);
  given_.and_given({session_cancelled("s1"), session_requested("s2", spec)});
  EXPECT_EQ(pass(), (Lines{"s2 a1 a2"}));
}

TEST_F(Waiting, DesignatedAgentsAreStrictOrPreferred) {
  v1::SessionSpec spec = Spec().cpu(10);
  spec.add_agents("a2");
  spec.set_agent_rule(v1::AGENT_STRICT);
  given_.and_given({session_requested("s1", spec)});
  EXPECT_EQ(pass(), (Lines{"s1 a2"}));
  given_.and_given({session_requested("s2", spec)});
  EXPECT_EQ(pass(), (Lines{"s2 no-capacity"}));
  given_.and_given({session_cancelled("s2")});
  spec.set_agent_rule(v1::AGENT_PREFERRED);
  given_.and_given({session_requested("s3", spec)});
  EXPECT_EQ(pass(), (Lines{"s3 a1"}));
}

TEST_F(Waiting, RoundRobinGoesOnUnderTheNextLeaderWhereItWas) {
  v1::Event group = group_defined("default");
  group.mutable_resource_group_defined()->set_select("round-robin");
  given_.and_given({group, session_requested("s1"), session_requested("s2"), session_requested("s3")});
  EXPECT_EQ(pass(), (Lines{"s1 a1", "s2 a2", "s3 a1"}));
  EXPECT_EQ(given_.state().turns.find("default")->turn, 3u);
  feed_.rebuild(given_.state(), given_.journal().time());  // what a new leader does
  given_.and_given({session_requested("s4")});
  EXPECT_EQ(pass(), (Lines{"s4 a2"}));
}

TEST_F(Waiting, BackfillStartsOnlyWhatEndsBeforeTheHead) {
  v1::Event group = group_defined("default");
  group.mutable_resource_group_defined()->set_order("backfill");
  const auto batch = [](Amount cpu, Duration time) {
    return Spec().cpu(cpu).batch("true").batch_timeout(time);
  };
  given_.and_given(
      {group, session_requested("long", batch(15, kHour)), session_requested("other", batch(15, kHour)),
       session_requested("head", batch(16, kMinute)), session_requested("short", batch(1, 10 * kMinute)),
       session_requested("late", batch(1, 10 * kHour))});
  const Lines lines = pass();
  EXPECT_EQ(lines.front(), "long a1");
  EXPECT_EQ(lines[1], "other a2");
  EXPECT_NE(std::find(lines.begin(), lines.end(), "head no-capacity"), lines.end());
  EXPECT_NE(std::find(lines.begin(), lines.end(), "short a1"), lines.end());
  EXPECT_EQ(std::find(lines.begin(), lines.end(), "late a1"),
            lines.end());  // it would keep the head from one whole agent
}

}  // namespace
}  // namespace berth::controller
