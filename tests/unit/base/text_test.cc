#include "events/base/text.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Listed, NamesTheFirstAndCountsTheOthers) {
  EXPECT_EQ(listed({}, 2), "");
  EXPECT_EQ(listed({"a", "b"}, 2), "a, b");
  EXPECT_EQ(listed({"a", "b", "c", "d"}, 2), "a, b and 2 more");
}

TEST(Listed, CountsThoseWithoutANameAmongTheOthers) {
  EXPECT_EQ(listed({"a"}, 2, 1), "a and 1 more");
  EXPECT_EQ(listed({"a", "b", "c"}, 2, 3), "a, b and 4 more");
}

TEST(Clipped, CutsBetweenTwoCharacters) {
  EXPECT_EQ(clipped("berth", 5), "berth");
  EXPECT_EQ(clipped("berths", 5), "berth...");
  EXPECT_EQ(clipped("데모데모", 4), "데...");
}

}  // namespace
}  // namespace berth
