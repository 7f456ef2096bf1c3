// The diagram of agent_table.h, and the orders that the fold notes (P21).
#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

using enum projections::AgentState;

TEST(Agents, JoinOnlyWhenEnrolled) {
  given(definitions()).when({agent_joined("a1", 1, kGiga)}).then_forbidden("not enrolled");
  Given g = given(definitions() + Events{agent_enrolled("a1")});
  EXPECT_EQ(g.agent("a1").state, kEnrolled);
  g.and_given({agent_joined("a1", 1, kGiga, {gpu("gpu0")})});
  EXPECT_EQ(g.agent("a1").state, kAlive);
  EXPECT_EQ(g.agent("a1").devices.at(0).slots.at(0).amount, kUnit);
}

TEST(Agents, AKeyGenerationNeverFalls) {
  Given g = given({agent_enrolled("a1", 3)});
  g.when({agent_enrolled("a1", 3)}).then_forbidden("never falls");
  given({agent_enrolled("a1", 3)}).when({agent_enrolled("a1", 4)}).then_applied();
  given({}).when({agent_enrolled("")}).then_forbidden("without a name");
}

TEST(Agents, AreLostOrLeaveOnlyInTheirCurrentLife) {
  const Events joined_twice = definitions() + agent("a1") + Events{agent_joined("a1", 8, kGiga, {}, 2)};
  for (const bool lost : {true, false}) {
    const auto end = [&](int life) { return lost ? agent_lost("a1", life) : agent_left("a1", life); };
    Given g = given(joined_twice);
    g.when({end(1)}).then_forbidden("not alive in that incarnation");
    g.when_elected();
    g.and_given({end(2)});
    EXPECT_EQ(g.agent("a1").state, lost ? kLost : kLeft);
    g.when({end(2)}).then_forbidden("not alive in that incarnation");
    g.when_elected();
    g.and_given({agent_joined("a1", 8, kGiga, {}, 3)});
    EXPECT_EQ(g.agent("a1").state, kAlive);
  }
}

TEST(Agents, AFenceLastsUntilTheNextJoin) {
  Given g = given(definitions() + agent("a1") + Events{agent_fenced("a1")});
  EXPECT_EQ(g.agent("a1").state, kLost);
  EXPECT_TRUE(g.agent("a1").fenced);
  g.and_given({agent_joined("a1", 8, kGiga, {}, 2)});
  EXPECT_FALSE(g.agent("a1").fenced);
  given(definitions()).when({agent_fenced("a1")}).then_forbidden("no agent is named a1");
}

TEST(Agents, DrainAndKeepDrainingOverAJoin) {
  Given g = given(definitions() + agent("a1") +
                  Events{agent_drain_changed("a1", true), agent_joined("a1", 8, kGiga, {}, 2)});
  EXPECT_TRUE(g.agent("a1").draining);
  g.and_given({agent_drain_changed("a1", false)});
  EXPECT_FALSE(g.agent("a1").draining);
}

TEST(Agents, AreUnfitAsTheirLastJoinSays) {
  v1::Event unfit = agent_joined("a1", 8, kGiga, {}, 2);
  unfit.mutable_agent_joined()->set_unfit("start-failed: no cgroup");
  Given g = given(definitions() + agent("a1") + Events{unfit});
  EXPECT_EQ(g.agent("a1").unfit, "start-failed: no cgroup");
  EXPECT_EQ(g.agent("a1").state, kAlive);
  EXPECT_FALSE(g.agent("a1").takes_sessions());
  g.and_given({agent_joined("a1", 8, kGiga, {}, 3)});
  EXPECT_EQ(g.agent("a1").unfit, "");
  EXPECT_TRUE(g.agent("a1").takes_sessions());
}

TEST(Agents, AJoinNeedsAnIncarnationAndANonce) {
  auto joined = agent_joined("a1", 1, kGiga);
  joined.mutable_agent_joined()->clear_nonce();
  given({agent_enrolled("a1")}).when({joined}).then_forbidden("without incarnation or nonce");
}

TEST(Agents, P24_KernelsOfALostAgentKeepTheirSlots) {
  Given g = given(definitions() + agent("a1") +
                  Events{session_requested("s1"), session_scheduled("s1", "a1"), agent_lost("a1")});
  EXPECT_EQ(g.taken("a1", "cpu"), kUnit);
  EXPECT_EQ(g.state().kernels_on("a1").size(), 1u);
}

// ---- orders ----

TEST(Orders, P21_AJoinIsAnsweredByASnapshot) {
  Given g = given(definitions() + Events{agent_enrolled("a1"), agent_joined("a1", 8, kGiga)});
  ASSERT_EQ(g.projection().notes().size(), 1u);
  EXPECT_TRUE(g.projection().notes()[0].snapshot);
}

TEST(Orders, P21_EachNamesThePositionOfTheOneBefore) {
  Given g =
      given(definitions() + agent("a1") + Events{session_requested("s1"), session_scheduled("s1", "a1")});
  const auto first = g.projection().notes().at(0);
  EXPECT_EQ(first.agent, "a1");
  EXPECT_FALSE(first.snapshot);
  g.and_given({session_terminating("s1")});
  const auto second = g.projection().notes().at(0);
  EXPECT_EQ(second.previous, first.position);
  EXPECT_GT(second.position, first.position);
  EXPECT_EQ(g.state().order_cursors.find("a1")->last, second.position);
}

TEST(Orders, P21_OneOrderAnEventAndAgentWhateverItsKernels) {
  Given g =
      given(definitions() + agent("a1") + agent("a2") + Events{session_requested("s1", Spec().kernels(3))});
  g.and_given({session_scheduled("s1", {{"a1"}, {"a2", {}, "main", 2}, {"a1", {}, "main", 3}})});
  ASSERT_EQ(g.projection().notes().size(), 2u);
  EXPECT_EQ(g.projection().notes()[0].agent, "a1");
  EXPECT_EQ(g.projection().notes()[1].agent, "a2");
}

TEST(Orders, AVoidRecordOrdersNothingAndMovesNoCursor) {
  Given g = given(definitions() + agent("a1") + Events{session_requested("s1")});
  const auto last = g.state().order_cursors.find("a1")->last;
  g.when({session_scheduled("s1", "a1"), session_cancelled("nobody")}).then_forbidden("event 1");
  EXPECT_TRUE(g.projection().notes().empty());
  EXPECT_EQ(g.state().order_cursors.find("a1")->last, last);
}

TEST(Orders, P21_ANewRouterSnapshotsAgentsWhoseOrdersMayBeLost) {
  Given g = given(definitions() + agent("a1") + agent("a2"));
  v1::Event head;
  *head.mutable_chain_head_recorded()->mutable_claim() = g.journal().claim();
  projections::to_proto(g.state().order_cursors.find("a2")->last,
                        head.mutable_chain_head_recorded()->mutable_routed());
  g.and_given({head});  // all orders so far are in the log
  g.when_elected().then_applied();
  EXPECT_TRUE(g.projection().notes().empty());
  g.and_given({session_requested("s1"), session_scheduled("s1", "a2")});
  g.when_elected().then_applied();
  ASSERT_EQ(g.projection().notes().size(), 1u);
  EXPECT_EQ(g.projection().notes()[0].agent, "a2");
  EXPECT_TRUE(g.projection().notes()[0].snapshot);
}

TEST(Orders, RoutedNeverLiesAhead) {
  Given g = given(definitions());
  v1::Event head;
  *head.mutable_chain_head_recorded()->mutable_claim() = g.journal().claim();
  head.mutable_chain_head_recorded()->mutable_routed()->set_epoch(9);
  g.when({head}).then_forbidden("routed lies ahead");
}

TEST(Definitions, AreReplacedWhole) {
  auto group = group_defined("default");
  group.mutable_resource_group_defined()->clear_slot_priority();
  group.mutable_resource_group_defined()->set_order("lifo");
  Given g = given(definitions() + Events{group});
  EXPECT_EQ(g.state().groups.find("default")->def.order(), "lifo");
  g.when({group_defined("")}).then_forbidden("without a name");
}

}  // namespace
}  // namespace berth::testing
