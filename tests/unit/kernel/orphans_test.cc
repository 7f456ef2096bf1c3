#include "agents/kernel/shim/orphans.h"

#include <gtest/gtest.h>

namespace berth::agents::shim {
namespace {

TEST(Orphans, F15_APidThatIsUsedAgainDoesNotGetAnEarlierProcesssEnd) {
  Orphans orphans;
  orphans.note({100, 1}, 9);
  EXPECT_EQ(orphans.take({100, 2}), std::nullopt);
  EXPECT_EQ(orphans.take({100, 1}), 9);
}

TEST(Orphans, AnEndIsTakenOnce) {
  Orphans orphans;
  orphans.note({100, 1}, 9);
  orphans.take({100, 1});
  EXPECT_EQ(orphans.take({100, 1}), std::nullopt);
  EXPECT_EQ(orphans.size(), 0u);
}

TEST(Orphans, TheOldestGoesFirst) {
  Orphans orphans;
  for (std::int64_t pid = 1; pid <= static_cast<std::int64_t>(Orphans::kMax) + 1; ++pid)
    orphans.note({pid, 7}, static_cast<int>(pid));
  EXPECT_EQ(orphans.size(), Orphans::kMax);
  EXPECT_EQ(orphans.take({1, 7}), std::nullopt);
  EXPECT_EQ(orphans.take({2, 7}), 2);
}

}  // namespace
}  // namespace berth::agents::shim
