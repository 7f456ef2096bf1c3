#include "controller/placement/cluster/cluster.h"

#include <gtest/gtest.h>

#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

PlacedKernel held(const std::vector<SlotAmount>& slots, const std::vector<PlacedDevice>& devices,
                  const char* agent) {
  return {0, agent, slots, devices};
}

TEST(Cluster, WhatThePassPlacedIsHeldOnceThoughTheEventIsMirrored) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}}, {}, {{"gpu0", {{"cuda.shares", "1"}}, {}}});
  t.session("s", {{"cpu", "1"}, {"cuda.shares", "0.5"}});
  t.pass();
  const auto slots = t.amounts({{"cpu", "1"}, {"cuda.shares", "0.5"}});
  const std::vector<PlacedDevice> devices{{"gpu0", t.slot("cuda.shares"), 500'000}};
  const PlacedKernel kernel = held(slots, devices, "a1");
  t.cluster.occupy(session_id("s"), std::span(&kernel, 1));
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cpu")), 3 * kUnit);
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cuda.shares")), 500'000);
  EXPECT_EQ(t.cluster.containers(0), 1u);
  EXPECT_TRUE(t.cluster.release(session_id("s")));
  EXPECT_FALSE(t.cluster.release(session_id("s")));
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cpu")), 4 * kUnit);
}

TEST(Cluster, ARestoredSessionMayComeBeforeItsAgentJoins) {
  TestCluster t;
  const auto slots = t.amounts({{"cpu", "3"}});
  const PlacedKernel kernel = held(slots, {}, "a1");
  t.cluster.occupy(session_id("old"), std::span(&kernel, 1));
  t.agent("a1", {{"cpu", "4"}});
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cpu")), kUnit);
  t.session("s", {{"cpu", "2"}});
  EXPECT_EQ(t.pass(), Lines{"s: no-capacity cpu"});
  t.end("old");
  EXPECT_EQ(t.pass(), Lines{"s -> a1"});
}

TEST(Cluster, AnAgentThatJoinsWithLessIsOverCommittedAndTakesNothingNew) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}}, {},
          {{"gpu0", {{"cuda.shares", "1"}}, {}}, {"gpu1", {{"cuda.shares", "1"}}, {}}});
  t.session("s", {{"cpu", "4"}, {"cuda.shares", "2"}});
  t.pass();
  t.agent("a1", {{"cpu", "2"}}, {}, {{"gpu1", {{"cuda.shares", "1"}}, {}}});
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cpu")), -2 * kUnit);
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cuda.shares")), -kUnit);
  t.session("cpu-only", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), Lines{"cpu-only: no-capacity cpu"});
  t.end("s");
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cpu")), 2 * kUnit);
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cuda.shares")), kUnit);
}

TEST(Cluster, DevicesKeepWhatIsHeldWhenTheyComeInAnotherOrder) {
  TestCluster t;
  const DeviceText gpu0{"gpu0", {{"cuda.shares", "1"}}, {}};
  const DeviceText gpu1{"gpu1", {{"cuda.shares", "1"}}, {}};
  t.agent("a1", {{"cpu", "4"}}, {}, {gpu0, gpu1});
  t.session("s", {{"cuda.shares", "0.5"}});
  EXPECT_EQ(t.pass(), Lines{"s -> a1 gpu1:cuda.shares=0.5"});
  t.agent("a1", {{"cpu", "4"}}, {}, {gpu1, gpu0});
  EXPECT_EQ(t.cluster.device_name(0, 0), "gpu1");
  EXPECT_EQ(t.cluster.free_amount(0, 0, t.slot("cuda.shares")), 500'000);
  EXPECT_EQ(t.cluster.placements(session_id("s")).at(0).devices.at(0).device, 0);
  t.end("s");
  EXPECT_EQ(t.cluster.free_amount(0, 0, t.slot("cuda.shares")), kUnit);
}

TEST(Cluster, EqualAgentsAreTakenInTheOrderOfTheirIdsHoweverTheyCame) {
  TestCluster t;
  for (int i = 999; i >= 0; i -= 3) t.agent("a" + std::to_string(1000 + i), {{"cpu", "1"}});
  for (int i = 0; i < 1000; i += 3) t.agent("a" + std::to_string(1000 + i + 1), {{"cpu", "1"}});
  for (int i = 0; i < 6; ++i) t.session("s" + std::to_string(i), {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), (Lines{"s0 -> a1000", "s1 -> a1001", "s2 -> a1003", "s3 -> a1004", "s4 -> a1006",
                             "s5 -> a1007"}));
}

TEST(Cluster, ARemovedAgentTakesNothingAndRemembersWhatIsHeldThere) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}});
  t.session("s", {{"cpu", "1"}});
  t.pass();
  t.cluster.remove_agent("a1");
  t.session("next", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), Lines{"next: no-agents"});
  t.agent("a1", {{"cpu", "2"}});
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cpu")), kUnit);
  EXPECT_EQ(t.pass(), Lines{"next -> a1"});
}

TEST(Cluster, KernelsOfAGangAreReleasedOneByOne) {
  TestCluster t;
  t.agent("a1", {{"cpu", "2"}});
  t.agent("a2", {{"cpu", "2"}});
  PendingSpec gang = t.session_spec("gang", {{"cpu", "2"}});
  gang.mode = Mode::kMultiNode;
  gang.kernels[0].count = 2;
  t.wait(gang);
  EXPECT_EQ(t.pass(), Lines{"gang -> a1 a2"});
  EXPECT_TRUE(t.cluster.release(gang.id, 1));
  EXPECT_FALSE(t.cluster.release(gang.id, 1));
  EXPECT_EQ(t.cluster.free_amount(1, t.slot("cpu")), 2 * kUnit);
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cpu")), 0);
  EXPECT_TRUE(t.cluster.release(gang.id));
}

class Gate : public TestCluster {
 public:
  Reason admit(const SessionId& session) override {
    return {session_name(session) == closed ? Code::kLimit : Code::kNone, kNoSlot};
  }
  std::string closed;
};

TEST(Pass, WhoIsNotAdmittedIsOnHoldAndBlocksNobody) {
  Gate t;
  t.agent("a1", {{"cpu", "4"}});
  t.closed = "s1";
  t.session("s1", {{"cpu", "1"}});
  t.session("s2", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), (Lines{"s1: limit", "s2 -> a1"}));
  t.closed.clear();
  t.cluster.set_wait_cause(session_id("s1"), {});
  EXPECT_EQ(t.pass(), Lines{"s1 -> a1"});
}

TEST(Pass, EqualSessionsThatDoNotFitCostNothingUntilSomethingIsFreed) {
  TestCluster t;
  t.policy.head_of_line = HeadOfLine::kGreedy;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "1"}});
  for (int i = 0; i < 1000; ++i) t.session("s" + std::to_string(i), {{"cpu", "1"}});
  EXPECT_EQ(t.pass().size(), 1000u);
  t.session("big", {{"cpu", "8"}});
  EXPECT_LE(placement::pass(t.cluster, "default", {}, t).work, 2u);
}

}  // namespace
}  // namespace berth::placement::testing
