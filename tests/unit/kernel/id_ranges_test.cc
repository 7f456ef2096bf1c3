#include "agents/kernel/id_ranges.h"

#include <gtest/gtest.h>

namespace berth::agents {
namespace {

constexpr std::uint32_t kRange = 65'536;

TEST(IdRanges, NoTwoKernelsShareOneAndNoneLeavesItsPlace) {
  IdRanges ranges(kRange);
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto base = ranges.take("k" + std::to_string(i));
    ASSERT_TRUE(base.ok());
    EXPECT_EQ((*base - kKernelIdsBase) % kRange, 0u);
    EXPECT_LE(*base, kDiskBase - kRange);
    EXPECT_TRUE(seen.insert(*base).second);
  }
  EXPECT_GT(ranges.size(), 1'400u);
  EXPECT_EQ(ranges.take("one more").error().code, "no-id-range");
  ranges.release("k7");
  EXPECT_EQ(*ranges.take("one more"), kKernelIdsBase + 7 * kRange);
}

TEST(IdRanges, AKernelThatAsksAgainHasTheSameAndOneThatCameFreeIsTakenLast) {
  IdRanges ranges(kRange);
  const std::uint32_t first = *ranges.take("a");
  EXPECT_EQ(*ranges.take("a"), first);
  ranges.release("a");
  EXPECT_NE(*ranges.take("b"), first);
  ranges.release("never had one");
}

TEST(IdRanges, OfKernelsThatAreFoundAreNotGivenAgain) {
  IdRanges ranges(kRange);
  ranges.found("old", kKernelIdsBase + kRange);
  ranges.found("of an older agent", 100'000);
  ranges.found("beyond", kDiskBase);
  ranges.found("between", kKernelIdsBase + 1);
  EXPECT_EQ(*ranges.take("a"), kKernelIdsBase + 2 * kRange);
  for (std::size_t i = 2; i < ranges.size(); ++i) {
    const auto base = ranges.take("k" + std::to_string(i));
    ASSERT_TRUE(base.ok());
    EXPECT_NE(*base, kKernelIdsBase + kRange);
  }
  EXPECT_FALSE(ranges.take("one more").ok());
  ranges.release("old");
  EXPECT_EQ(*ranges.take("one more"), kKernelIdsBase + kRange);
}

}  // namespace
}  // namespace berth::agents
