// What was used, summed up by day as slots are freed: tests/BEHAVIOURS.md 12 (midnight), pruning, and what no
// other reader may do otherwise.
#include "projections/tables/day_usage_table.h"

#include <gtest/gtest.h>

#include "tests/support/given.h"

namespace berth::testing {
namespace {

using projections::DayUsageRow;

constexpr Timestamp kMidnight = 19'676 * kDay;  // the first after the tests' beginning

Events shared_cluster() {
  v1::Event group = group_defined("default");
  group.mutable_resource_group_defined()->set_order("fair-share");
  return definitions() + Events{group} + agent("a1");
}

// The next record is of that time.
Given& at(Given& g, Timestamp time) { return g.after(time - g.journal().time()); }

// Placed at one time, ended at another.
void used(Given& g, const std::string& session, Timestamp from, Timestamp to,
          const v1::SessionSpec& spec = Spec(), const std::string& user = "alice") {
  at(g, from - kMillisecond)
      .and_given({session_requested(session, spec, user), session_scheduled(session, "a1")});
  at(g, to).and_given({kernel_terminated(kernel_name(session))});
}

// Whole units of a slot times seconds; -1 where there is no row.
std::int64_t seconds(const Given& g, const std::string& scope, std::int32_t day,
                     const std::string& slot = "cpu") {
  const DayUsageRow* row = g.state().day_usage.find(DayUsageRow::make_key("default", scope, day));
  if (row == nullptr) return -1;
  for (const auto& use : row->slots)
    if (use.slot == slot)
      return static_cast<std::int64_t>(use.seconds() / static_cast<unsigned>(slot == "mem" ? kGiga : kUnit));
  return 0;
}

TEST(DayUsage, CountsSlotsTimesTheTimeHeldForUserProjectAndDomain) {
  Given g = given(shared_cluster());
  used(g, "s1", kMidnight + kHour, kMidnight + kHour + 100 * kSecond, Spec().cpu(2));
  for (const char* scope : {"user/alice", "project/default/default", "domain/default"}) {
    EXPECT_EQ(seconds(g, scope, 19'676), 200) << scope;
    EXPECT_EQ(seconds(g, scope, 19'676, "mem"), 100) << scope;
  }
  EXPECT_EQ(g.state().day_usage.size(), 3u);  // no key pair
}

TEST(DayUsage, CountsNothingBeforeTheSlotsAreFree) {
  Given g = given(shared_cluster() + Events{session_requested("s1"), session_scheduled("s1", "a1"),
                                            kernel_running(kernel_name("s1")),
                                            session_terminating("s1", "user-requested", true)});
  EXPECT_EQ(g.state().day_usage.size(), 0u);
}

TEST(DayUsage, ATimeAcrossMidnightIsSplitByDuration) {
  Given g = given(shared_cluster());
  used(g, "s1", kMidnight - 60 * kSecond, kMidnight + 40 * kSecond);
  EXPECT_EQ(seconds(g, "user/alice", 19'675), 60);
  EXPECT_EQ(seconds(g, "user/alice", 19'676), 40);
}

TEST(DayUsage, ATimeThatEndsAtMidnightStaysInTheOldDay) {
  Given g = given(shared_cluster());
  used(g, "s1", kMidnight - 60 * kSecond, kMidnight);
  EXPECT_EQ(seconds(g, "user/alice", 19'675), 60);
  EXPECT_EQ(seconds(g, "user/alice", 19'676), -1);
}

TEST(DayUsage, AddsUpAndKeepsUsersApart) {
  Given g = given(shared_cluster());
  used(g, "s1", kMidnight + kHour, kMidnight + kHour + 10 * kSecond);
  used(g, "b1", kMidnight + 2 * kHour, kMidnight + 2 * kHour + 30 * kSecond, Spec(), "bob");
  used(g, "s2", kMidnight + 3 * kHour, kMidnight + 3 * kHour + 5 * kSecond);
  EXPECT_EQ(seconds(g, "user/alice", 19'676), 15);
  EXPECT_EQ(seconds(g, "user/bob", 19'676), 30);
  EXPECT_EQ(seconds(g, "domain/default", 19'676), 45);
}

TEST(DayUsage, HoldsMoreThanSixtyFourBits) {
  projections::SlotUse use;
  const SlotSeconds large = (SlotSeconds{1} << 100) + 7;
  use.set(large);
  EXPECT_TRUE(use.seconds() == large);
  DayUsageRow row{"g", "user/a", 1, {}};
  row.add("mem", large);
  row.add("cpu", 1);
  row.add("mem", large);
  EXPECT_EQ(row.slots.front().slot, "cpu");
  EXPECT_TRUE(row.slots.back().seconds() == 2 * large);
}

TEST(DayUsage, IsSummedUpOnlyWhereTheGroupSaysSo) {
  Given g = given(definitions() + agent("a1"));
  used(g, "s1", kMidnight + kHour, kMidnight + 2 * kHour);
  EXPECT_EQ(g.state().day_usage.size(), 0u);
  v1::Event group = group_defined("default");
  group.mutable_resource_group_defined()->mutable_fair_share()->set_half_life_days(7);  // order fifo still
  g.and_given({group});
  used(g, "s2", kMidnight + 3 * kHour, kMidnight + 4 * kHour);
  EXPECT_EQ(seconds(g, "user/alice", 19'676), 3600);
}

TEST(DayUsage, IsKeptForNinetyDaysTodayCounted) {
  Given g = given(shared_cluster());
  used(g, "s1", kMidnight + kHour, kMidnight + 2 * kHour);
  at(g, kMidnight + 90 * kDay - kMillisecond).and_given({session_requested("x1")});
  EXPECT_EQ(seconds(g, "user/alice", 19'676), 3600);
  at(g, kMidnight + 90 * kDay).and_given({session_requested("x2")});
  EXPECT_EQ(g.state().day_usage.size(), 0u);
}

TEST(DayUsage, OfALongHoldOnlyTheDaysThatAreKeptCount) {
  Given g = given(shared_cluster());
  used(g, "s1", kMidnight, kMidnight + 100 * kDay);
  EXPECT_EQ(seconds(g, "user/alice", 19'676 + 10), -1);
  EXPECT_EQ(seconds(g, "user/alice", 19'676 + 11), 86'400);
  EXPECT_EQ(seconds(g, "user/alice", 19'676 + 99), 86'400);
  EXPECT_EQ(g.state().day_usage.size(), 3u * 89);
}

TEST(DayUsage, AForbiddenRecordLeavesNoneOfIt) {
  Given g = given(shared_cluster() + Events{session_requested("s1"), session_scheduled("s1", "a1")});
  g.after(kHour).when({kernel_terminated(kernel_name("s1")), kernel_running("nobody")}).then_void("event 1");
  EXPECT_EQ(g.state().day_usage.size(), 0u);
}

}  // namespace
}  // namespace berth::testing
