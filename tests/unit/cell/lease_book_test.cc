#include "controller/cell/leader/lease_book.h"

#include <gtest/gtest.h>

#include <limits>

#include "events/base/random.h"

namespace berth::controller {
namespace {

const Uuid kFirst = Rng(1).uuid();
const Uuid kSecondLife = Rng(2).uuid();

projections::AgentRow alive(const Uuid& incarnation, Duration lease = 0) {
  projections::AgentRow row;
  row.name = "a1";
  row.state = projections::AgentState::kAlive;
  row.incarnation = incarnation;
  row.lease_ms = lease / kMillisecond;
  return row;
}

TEST(LeaseBook, P24_AnAgentIsLostAfterTheLeaseThatItsJoinAskedFor) {
  LeaseBook leases;
  leases.start(alive(kFirst, 2 * kMinute), 0);
  EXPECT_TRUE(leases.lost(2 * kMinute + kLeaseMargin - 1).empty());
  EXPECT_EQ(leases.lost(2 * kMinute + kLeaseMargin).size(), 1u);
  const auto before = alive(kFirst, 2 * kMinute);
  auto shorter = alive(kSecondLife);
  shorter.joined = {1, 2, 0};
  leases.set_now(kMinute);
  leases.on_row(&before, &shorter);
  EXPECT_EQ(leases.lost(kMinute + kLease + kLeaseMargin).size(), 1u);
}

TEST(LeaseBook, P24_NoJoinMakesALeaseLongerThanADayNorShorterThanTheUsual) {
  for (const std::int64_t asked : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}})
    EXPECT_EQ(lease_of(asked), kLease);
  EXPECT_EQ(lease_of(std::numeric_limits<std::int64_t>::max()), kLeaseMax);
  EXPECT_EQ(lease_of(std::numeric_limits<std::int64_t>::min()), kLease);
}

TEST(LeaseBook, P24_ANewLeaderGivesAFullLeaseOfGrace) {
  LeaseBook leases;
  leases.start(alive(kFirst), 0);
  EXPECT_TRUE(leases.lost(kLease + kLeaseMargin - 1).empty());
  EXPECT_EQ(leases.lost(kLease + kLeaseMargin).size(), 1u);
}

TEST(LeaseBook, P1_ABeatWhoseCounterDoesNotGrowIsNoBeat) {
  LeaseBook leases;
  leases.start(alive(kFirst), 0);
  EXPECT_TRUE(leases.beat("a1", kFirst, 5, kSecond));
  EXPECT_FALSE(leases.beat("a1", kFirst, 5, 2 * kSecond));
  EXPECT_FALSE(leases.beat("a1", kSecondLife, 6, 2 * kSecond));
  EXPECT_FALSE(leases.beat("a2", kFirst, 1, 2 * kSecond));
}

TEST(LeaseBook, P24_ASilentAgentIsUnreachableBeforeItIsLost) {
  LeaseBook leases;
  leases.start(alive(kFirst), 0);
  ASSERT_EQ(leases.changes(kUnreachableAfter).size(), 1u);
  EXPECT_TRUE(leases.changes(kUnreachableAfter).empty());
  (void)leases.beat("a1", kFirst, 1, kUnreachableAfter);
  const auto back = leases.changes(kUnreachableAfter);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_TRUE(back[0].reachable);
}

TEST(LeaseBook, P24_NobodyIsLostForTheLeadersOwnStall) {
  LeaseBook leases;
  leases.start(alive(kFirst), 0);
  leases.excuse(20 * kSecond);
  EXPECT_TRUE(leases.lost(21 * kSecond).empty());
}

projections::AgentRow row(projections::AgentState state, std::uint64_t joined) {
  projections::AgentRow row;
  row.name = "a1";
  row.state = state;
  row.incarnation = Rng(joined).uuid();
  row.joined = {1, joined, 0};
  return row;
}

TEST(LeaseBook, P24_AJoinBeginsALeaseAndALossEndsIt) {
  using enum projections::AgentState;
  LeaseBook leases;
  const auto alive = row(kAlive, 1), lost = row(kLost, 1), again = row(kAlive, 2);
  leases.set_now(0);
  leases.on_row(nullptr, &alive);
  EXPECT_EQ(leases.lost(kLease + kLeaseMargin).size(), 1u);
  leases.on_row(&alive, &lost);
  EXPECT_EQ(leases.size(), 0u);
  EXPECT_FALSE(leases.beat("a1", alive.incarnation, 1, kSecond));
  leases.set_now(kMinute);
  leases.on_row(&lost, &again);
  EXPECT_TRUE(leases.lost(kMinute + kLease).empty());
}

// A drain, say, or the same join read twice.
TEST(LeaseBook, P24_AnAgentThatOnlyChangesKeepsItsLease) {
  LeaseBook leases;
  const auto before = row(projections::AgentState::kAlive, 1);
  auto after = before;
  after.draining = true;
  leases.on_row(nullptr, &before);
  leases.set_now(kMinute);
  leases.on_row(&before, &after);
  EXPECT_EQ(leases.lost(kMinute).size(), 1u);
}

}  // namespace
}  // namespace berth::controller
