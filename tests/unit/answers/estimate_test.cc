#include "controller/answers/estimate.h"

#include <gtest/gtest.h>

#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

TEST(Estimate, AQuantileIsTheNearestRank) {
  const std::vector<std::int64_t> ten{10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
  EXPECT_EQ(quantile(ten, 50), 50);
  EXPECT_EQ(quantile(ten, 90), 90);
  EXPECT_EQ(quantile(ten, 91), 100);
  EXPECT_EQ(quantile(ten, 0), 10);
  EXPECT_EQ(quantile({}, 50), std::nullopt);
}

TEST(Estimate, WhatRemainsComesFromLongerRunsAndNeverExceedsTheDeclaredLimit) {
  const std::vector<std::int64_t> past{10, 20, 30, 40};
  struct Row {
    std::int64_t so_far, declared;
    int percent;
    std::optional<std::int64_t> expected;
  };
  const Row rows[] = {
      {0, 0, 50, 20},   {0, 0, 90, 40},  {25, 0, 50, 5}, {25, 35, 90, 10}, {50, 0, 50, std::nullopt},
      {50, 60, 50, 10}, {70, 60, 50, 0},
  };
  for (const Row& row : rows)
    EXPECT_EQ(remaining(past, row.so_far, row.declared, row.percent), row.expected) << row.so_far;
}

// "x" and "y" have all of the agent; "both" waits for all of it, "last" for half of it behind that.
struct FullOfTwo : TestCluster {
  explicit FullOfTwo(const GroupPolicy& changed) {
    set_policy(changed);
    agent("a1", {{"cpu", "2"}});
    session("x", {{"cpu", "1"}});
    session("y", {{"cpu", "1"}});
    pass();
    session("both", {{"cpu", "2"}});
    session("last", {{"cpu", "1"}});
    pass();
  }
  static std::vector<ExpectedEnd> ends() {
    return {{session_id("y"), 500}, {session_id("x"), 200}, {session_id("gone"), 1}};
  }
};

TEST(Estimate, TheStartIsTheEndAfterWhichAPassWouldPlaceIt) {
  FullOfTwo t({});
  const std::vector<ExpectedEnd> ends = FullOfTwo::ends();
  EXPECT_EQ(estimate_start(t.cluster, session_id("both"), ends).in_us, 500);
  const ForecastStart last = estimate_start(t.cluster, session_id("last"), ends);
  EXPECT_EQ(last.in_us, std::nullopt);  // "both" takes all, and its end is not known
  EXPECT_EQ(to_string(last.none), "ends-unknown");
  EXPECT_EQ(to_string(estimate_start(t.cluster, session_id("both"), ends, {0, 1, 1}).none), "bound");
  EXPECT_EQ(to_string(estimate_start(t.cluster, session_id("nobody"), ends).none), "not-waiting");
}

// The same cluster under each policy that is not walked: the copy says what the walk says.
TEST(Estimate, OrdersThatMoveAreForetoldOnACopy) {
  for (const Order order : {Order::kFifo, Order::kDrf, Order::kFairShare, Order::kBackfill}) {
    GroupPolicy policy;
    policy.order = order;
    policy.preemption.enabled = order == Order::kFifo;
    FullOfTwo t(policy);
    const std::vector<ExpectedEnd> ends = FullOfTwo::ends();
    EXPECT_EQ(estimate_start(t.cluster, session_id("both"), ends).in_us, 500);
    EXPECT_EQ(to_string(estimate_start(t.cluster, session_id("both"), ends, {0, 1, 10}).none), "bound");
    EXPECT_EQ(to_string(estimate_start(t.cluster, session_id("last"), ends).none), "ends-unknown");
    EXPECT_TRUE(t.pass().empty());  // nothing has changed
  }
}

// Who starts before it holds the room until the end that it declared.
TEST(Estimate, WhoStartsMeanwhileEndsWhenItDeclaredTo) {
  TestCluster t;
  t.policy.order = Order::kDrf;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "1"}});
  t.session("x", {{"cpu", "1"}});
  t.pass();
  PendingSpec next = t.session_spec("next", {{"cpu", "1"}});
  next.timeout_s = 60;
  t.wait(next);
  t.session("last", {{"cpu", "1"}});
  t.pass();
  const std::vector<ExpectedEnd> ends{{session_id("x"), 1'000}};
  EXPECT_EQ(estimate_start(t.cluster, session_id("last"), ends, {5 * kSecond}).in_us, 1'000 + 60'000'000);
}

TEST(Estimate, APreemptorStartsAsSoonAsItsVictimsHaveGone) {
  TestCluster t;
  t.policy.preemption.enabled = true;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "1"}});
  t.session("low", {{"cpu", "1"}});
  t.pass();
  PendingSpec high = t.session_spec("high", {{"cpu", "1"}});
  high.job_priority = 5;
  t.wait(high);
  EXPECT_EQ(estimate_start(t.cluster, high.id, {}).in_us, 0);
}

TEST(Estimate, CalibrationIsThePartThatWasMet) {
  Calibration calibration;
  EXPECT_EQ(calibration.met_permille(), 0);
  for (const std::int64_t waited : {10, 20, 30}) calibration.note(20, waited);
  EXPECT_EQ(calibration.met_permille(), 666);
}

}  // namespace
}  // namespace berth::placement::testing
