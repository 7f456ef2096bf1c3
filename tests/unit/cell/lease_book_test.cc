#include "controller/cell/leader/lease_book.h"

#include <gtest/gtest.h>

#include "events/base/random.h"

namespace berth::controller {
namespace {

const Uuid kFirst = Rng(1).uuid();
const Uuid kSecondLife = Rng(2).uuid();

TEST(LeaseBook, P24_ANewLeaderGivesAFullLeaseOfGrace) {
  LeaseBook leases;
  leases.start("a1", kFirst, 0);
  EXPECT_TRUE(leases.lost(kLease + kLeaseMargin - 1).empty());
  EXPECT_EQ(leases.lost(kLease + kLeaseMargin).size(), 1u);
}

TEST(LeaseBook, P1_ABeatWhoseCounterDoesNotGrowIsNoBeat) {
  LeaseBook leases;
  leases.start("a1", kFirst, 0);
  EXPECT_TRUE(leases.beat("a1", kFirst, 5, kSecond));
  EXPECT_FALSE(leases.beat("a1", kFirst, 5, 2 * kSecond));
  EXPECT_FALSE(leases.beat("a1", kSecondLife, 6, 2 * kSecond));
  EXPECT_FALSE(leases.beat("a2", kFirst, 1, 2 * kSecond));
}

TEST(LeaseBook, P24_ASilentAgentIsUnreachableBeforeItIsLost) {
  LeaseBook leases;
  leases.start("a1", kFirst, 0);
  ASSERT_EQ(leases.changes(kUnreachableAfter).size(), 1u);
  EXPECT_TRUE(leases.changes(kUnreachableAfter).empty());
  (void)leases.beat("a1", kFirst, 1, kUnreachableAfter);
  const auto back = leases.changes(kUnreachableAfter);
  ASSERT_EQ(back.size(), 1u);
  EXPECT_TRUE(back[0].reachable);
}

TEST(LeaseBook, P24_NobodyIsLostForTheLeadersOwnStall) {
  LeaseBook leases;
  leases.start("a1", kFirst, 0);
  leases.excuse(20 * kSecond);
  EXPECT_TRUE(leases.lost(21 * kSecond).empty());
}

}  // namespace
}  // namespace berth::controller
