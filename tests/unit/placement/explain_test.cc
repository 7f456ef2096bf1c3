#include "controller/placement/pass/explain.h"

#include <gtest/gtest.h>

#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

TEST(Why, TheStorysThirdSessionNamesItsSlotTheAmountAndTheBestDeviceOnly) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}, {"mem", "8g"}}, {}, {{"gpu0", {{"cuda.shares", "2"}}, {}}});
  for (const char* name : {"demo-1", "demo-2", "demo-3"})
    t.session(name, {{"cpu", "0.5"}, {"mem", "256m"}, {"cuda.shares", "1"}});
  t.pass();
  const Why answer = why(t.cluster, session_id("demo-3"));
  EXPECT_TRUE(answer.waits);
  EXPECT_EQ(answer.reason, (Reason{Code::kNoCapacity, t.slot("cuda.shares")}));
  EXPECT_EQ(queue_position(t.cluster, session_id("demo-3")), 1u);
  ASSERT_EQ(answer.lacks.size(), 1u);
  const SlotLack& lack = answer.lacks[0];
  EXPECT_EQ(lack.slot, t.slot("cuda.shares"));
  EXPECT_EQ(lack.asked, kUnit);
  EXPECT_EQ(lack.missing, kUnit);
  EXPECT_TRUE(lack.on_devices);
  EXPECT_EQ(lack.best_device_free, 0);
  EXPECT_EQ(t.cluster.agent_name(answer.nearest), "a1");
}

TEST(Why, EnoughInSumNamesTheBestSingleDevice) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}}, {},
          {{"gpu0", {{"cuda.shares", "1"}}, {{"cuda.shares", "0.6"}}},
           {"gpu1", {{"cuda.shares", "1"}}, {{"cuda.shares", "0.3"}}}});
  t.session("s", {{"cuda.shares", "1"}});
  t.pass();
  const Why answer = why(t.cluster, session_id("s"));
  EXPECT_EQ(answer.reason, (Reason{Code::kNoDevice, t.slot("cuda.shares")}));
  const SlotLack& lack = answer.lacks.at(0);
  EXPECT_EQ(lack.free, 1'100'000);
  EXPECT_EQ(lack.best_device_free, 700'000);
  EXPECT_EQ(lack.missing, 300'000);
}

TEST(Why, TheNearestAgentLacksTheFewestSlotsThenTheSmallestPart) {
  TestCluster t;
  t.agent("two-missing", {{"cpu", "1"}, {"mem", "1g"}});
  t.agent("half", {{"cpu", "4"}, {"mem", "16g"}});
  t.agent("quarter", {{"cpu", "6"}, {"mem", "16g"}});
  t.session("s", {{"cpu", "8"}, {"mem", "8g"}});
  t.pass();
  const Why answer = why(t.cluster, session_id("s"));
  EXPECT_EQ(t.cluster.agent_name(answer.nearest), "quarter");
  ASSERT_EQ(answer.lacks.size(), 1u);
  EXPECT_EQ(answer.lacks[0].missing, 2 * kUnit);
}

TEST(Why, AKernelOfAGangThatFindsNoPlaceIsNamedAndNothingStaysTaken) {
  TestCluster t;
  t.agent("a1", {{"cpu", "3"}});
  PendingSpec gang = t.session_spec("gang", {{"cpu", "2"}});
  gang.mode = Mode::kMultiNode;
  gang.kernels.push_back({t.amounts({{"cpu", "2"}}), "", 1});
  t.wait(gang);
  t.pass();
  const Why answer = why(t.cluster, gang.id);
  EXPECT_EQ(answer.requirement, 1u);
  EXPECT_EQ(answer.lacks.at(0).missing, kUnit);
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cpu")), 3 * kUnit);
}

TEST(Why, BehindHeadNamesTheHead) {
  TestCluster t;
  t.agent("a1", {{"cpu", "1"}});
  t.session("big", {{"cpu", "2"}});
  t.session("small", {{"cpu", "1"}});
  t.pass();
  const Why answer = why(t.cluster, session_id("small"));
  EXPECT_EQ(answer.reason.code, Code::kBehindHead);
  EXPECT_EQ(answer.head, session_id("big"));
  EXPECT_EQ(queue_position(t.cluster, session_id("small")), 2u);
  EXPECT_EQ(queue_position(t.cluster, session_id("nobody")), 0u);
}

TEST(CheckRequest, RefusesWhatCouldNeverBePlaced) {
  TestCluster t;
  const SlotId shares = t.slot("cuda.shares");
  const SlotId mig = t.cluster.define_slot("cuda.device:mig-1g", SlotKind::kUnique);
  const SlotId device = t.cluster.define_slot("cuda.device", SlotKind::kCount);
  t.policy.exclusive = {{mig, device, shares}};
  t.set_policy(t.policy);
  const auto check = [&](std::vector<SlotAmount> slots) {
    return check_request(t.cluster, "default", slots);
  };
  EXPECT_EQ(check({{shares, 500'000}}).code, Code::kNone);
  EXPECT_EQ(check({{t.slot("cpu"), 250'000}}).code, Code::kNone);
  const RequestFault fault = check({{shares, 550'000}});
  EXPECT_EQ(fault.code, Code::kInvalidAmount);
  EXPECT_EQ(fault.below, 500'000);
  EXPECT_EQ(fault.above, 600'000);
  EXPECT_EQ(check({{device, 2 * kUnit}, {mig, kUnit}}).code, Code::kExclusiveSlots);  // D6
  EXPECT_EQ(check({{mig, 1'100'000}}).code, Code::kInvalidAmount);                    // D7
  EXPECT_EQ(check({{mig, 2 * kUnit}}).code, Code::kInvalidAmount);
  EXPECT_EQ(check({{mig, 0}, {device, kUnit}}).code, Code::kNone);
  EXPECT_EQ(check({{static_cast<SlotId>(99), 1}}).code, Code::kUnknownSlot);
  EXPECT_EQ(check({{t.slot("cpu"), -1}}).code, Code::kInvalidAmount);
}

}  // namespace
}  // namespace berth::placement::testing
