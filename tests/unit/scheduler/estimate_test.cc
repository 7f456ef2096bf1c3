#include "controller/scheduler/estimate.h"

#include <gtest/gtest.h>

#include "tests/unit/scheduler/support.h"

namespace berth::scheduler::testing {
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
      {0, 0, 50, 20}, {0, 0, 90, 40}, {25, 0, 50, 5}, {25, 35, 90, 10}, {50, 0, 50, std::nullopt}, {50, 60, 50, 10}, {70, 60, 50, 0},
  };
  for (const Row& row : rows) EXPECT_EQ(remaining(past, row.so_far, row.declared, row.percent), row.expected) << row.so_far;
}

TEST(Estimate, TheStartIsTheEndAfterWhichAPassWouldPlaceIt) {
  TestCluster t;
  t.agent("a1", {{"cpu", "2"}});
  t.session("x", {{"cpu", "1"}});
  t.session("y", {{"cpu", "1"}});
  t.pass();
  t.session("both", {{"cpu", "2"}});
  t.session("last", {{"cpu", "1"}});
  t.pass();
  const std::vector<ExpectedEnd> ends{{session_id("y"), 500}, {session_id("x"), 200}, {session_id("gone"), 1}};
  EXPECT_EQ(estimate_start(t.cluster, session_id("both"), ends), 500);
  EXPECT_EQ(estimate_start(t.cluster, session_id("last"), ends), std::nullopt);  // "both" takes all, and its end is not known
  EXPECT_EQ(estimate_start(t.cluster, session_id("both"), ends, 1), std::nullopt);
}

TEST(Estimate, CalibrationIsThePartThatWasMet) {
  Calibration calibration;
  EXPECT_EQ(calibration.met_permille(), 0);
  for (const std::int64_t waited : {10, 20, 30}) calibration.note(20, waited);
  EXPECT_EQ(calibration.met_permille(), 666);
}

}  // namespace
}  // namespace berth::scheduler::testing
