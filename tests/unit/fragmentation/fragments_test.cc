#include "controller/placement/fragmentation/fragments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace berth::placement::fragmentation {
namespace {

Node node(std::int32_t cpu, std::vector<std::int32_t> gpus, std::uint64_t model = 1) {
  Node made{cpu, static_cast<std::int32_t>(gpus.size()), model, {}};
  std::copy(gpus.begin(), gpus.end(), made.gpu_milli.begin());
  return made;
}

TEST(Fragments, AreTheRestsTooSmallForAClassThatFits) {
  EXPECT_EQ(fragments(node(8000, {300, 600, 1000}), Ask{4000, 1, 500, 0}), 300);
  EXPECT_EQ(fragments(node(8000, {300, 600, 1000}), Ask{4000, 1, 1000, 0}), 900);
}

TEST(Fragments, AreAllThatIsFreeForAClassThatCannotRunThere) {
  const Node n = node(8000, {300, 600}, 2);
  EXPECT_EQ(fragments(n, Ask{9000, 1, 200, 0}), 900);   // CPU
  EXPECT_EQ(fragments(n, Ask{1000, 1, 700, 0}), 900);   // no device
  EXPECT_EQ(fragments(n, Ask{1000, 1, 200, 5}), 900);   // models 1 and 4; the node has 2
  EXPECT_EQ(fragments(n, Ask{1000, 2, 1000, 0}), 900);  // devices
  EXPECT_EQ(fragments(n, Ask{1000, 0, 0, 0}), 900);     // wants no GPU
}

TEST(Fragments, OfAMixAreTheSumByCount) {
  // 3 * 300 + 1 * 900 of 4.
  const ClassMix mix{{{Ask{1000, 1, 500, 0}, 3}, {Ask{1000, 0, 0, 0}, 1}}, 4};
  EXPECT_EQ(fragments(node(8000, {300, 600}), mix), 3 * 300 + 900);
}

TEST(ClassMix, TheMostPopularCoverTheShareAskedFor) {
  std::vector<Ask> asks(90, Ask{1, 1, 1000, 0});
  asks.insert(asks.end(), 6, Ask{2, 1, 1000, 0});
  asks.insert(asks.end(), 4, Ask{3, 1, 1000, 0});
  const ClassMix popular = most_popular(mix_of(asks), 95);
  ASSERT_EQ(popular.classes.size(), 2u);  // 90 is less than 95, 96 is not
  EXPECT_EQ(popular.total, 96);
}

// 100 / (1 + e^-x): 50 at 0, 73.1 at 1, 26.9 at -1, 88.08 at 2, 99.966 at 8, 0.0335 at -8.
TEST(FgdScore, IsTheIntegerPartOfTheSigmoid) {
  EXPECT_EQ(fgd_score(0, 0, 1), 50);
  EXPECT_EQ(fgd_score(1000, 0, 1), 73);
  EXPECT_EQ(fgd_score(0, 1000, 1), 26);
  EXPECT_EQ(fgd_score(2000, 0, 1), 88);
  EXPECT_EQ(fgd_score(8000, 0, 1), 99);
  EXPECT_EQ(fgd_score(0, 8000, 1), 0);
  EXPECT_EQ(fgd_score(0, 1, 1), 49);  // just below a half
  EXPECT_EQ(fgd_score(7 * 1000, 0, 7), 73);
  // 100 * sigmoid(x) reaches 51 at x = ln(51 / 49) = 0.0400053.
  EXPECT_EQ(fgd_score(40, 0, 1), 50);
  EXPECT_EQ(fgd_score(41, 0, 1), 51);
}

}  // namespace
}  // namespace berth::placement::fragmentation
