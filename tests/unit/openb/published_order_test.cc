#include "bench/openb/published_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/openb/additive_draw.h"

namespace berth::placement::fragmentation {
namespace {

// As the Go language's first random package gives them.
TEST(AdditiveDraw, DrawsTheNumbersThatGoDraws) {
  AdditiveDraw one(1);
  for (const std::uint32_t expected : {81u, 87u, 47u, 59u, 81u, 18u, 25u, 40u, 56u, 0u})
    EXPECT_EQ(one.below(100), expected);
  AdditiveDraw other(42);
  EXPECT_EQ(other.next(), 3'440'579'354'231'278'675u);
  EXPECT_EQ(other.next(), 608'747'136'543'856'411u);
}

TEST(AdditiveDraw, OrdersAsGoDoes) {
  AdditiveDraw draw(7);
  std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7};
  draw.shuffle(all);
  EXPECT_EQ(all, (std::vector<int>{5, 3, 0, 2, 4, 6, 1, 7}));
  EXPECT_EQ(draw.permutation(6), (std::vector<std::uint32_t>{3, 4, 5, 2, 0, 1}));
  EXPECT_EQ(draw.below(64), 50u);
}

const std::vector<Ask> kClasses = {{1000, 1, 400, 0}, {1000, 2, 1000, 0}, {1000, 0, 0, 0}};

std::vector<Node> nodes_of(std::int32_t count) {
  std::vector<Node> nodes;
  for (std::int32_t i = 0; i < count; ++i) {
    nodes.push_back({1000 * (i + 1), 4, 1, {}});
    for (std::size_t device = 0; device < 4; ++device) nodes.back().gpu_milli[device] = kWholeGpu;
  }
  return nodes;
}

std::int64_t demanded(const std::vector<std::uint32_t>& arrivals) {
  std::int64_t sum = 0;
  for (const std::uint32_t index : arrivals) sum += kClasses[index].total_milli();
  return sum;
}

TEST(PublishedOrder, AllOfTheListComesThenMoreUntilTheNextDeviceWouldPassTheEnd) {
  const std::vector<std::uint32_t> list = {0, 0, 0, 1, 2};
  const auto nodes = nodes_of(3);  // 12,000 milli: the end is 15,600
  for (std::uint64_t run = 1; run <= 20; ++run) {
    const PublishedOrder order = published_order(list, kClasses, nodes, run);
    std::vector<std::uint32_t> listed(order.arrivals.begin(), order.arrivals.begin() + 5);
    std::sort(listed.begin(), listed.end());
    EXPECT_EQ(listed, list);
    EXPECT_GT(demanded(order.arrivals), 15'600 - 1000);
    EXPECT_LE(demanded(order.arrivals),
              15'600 + 1000);  // the second device of the last one may lie behind it
  }
}

TEST(PublishedOrder, OfALongListPodsAreLeftOut) {
  const std::vector<std::uint32_t> list(100, 0);
  const PublishedOrder order = published_order(list, kClasses, nodes_of(2), 1);
  EXPECT_EQ(order.arrivals.size(), 26u);  // 26 * 400 = 130 % of 8,000
}

TEST(PublishedOrder, AListWithoutGpusEnds) {
  const std::vector<std::uint32_t> list = {2, 2};
  EXPECT_EQ(published_order(list, kClasses, nodes_of(1), 1).arrivals, list);
}

TEST(PublishedOrder, NodesAreAllThereInAnOrderOfTheRun) {
  const std::vector<std::uint32_t> list = {0};
  const auto cpus = [](const std::vector<Node>& nodes) {
    std::vector<std::int32_t> all;
    for (const Node& node : nodes) all.push_back(node.cpu_milli);
    return all;
  };
  const auto first = cpus(published_order(list, kClasses, nodes_of(8), 1).nodes);
  EXPECT_NE(first, cpus(published_order(list, kClasses, nodes_of(8), 2).nodes));
  EXPECT_EQ(first, cpus(published_order(list, kClasses, nodes_of(8), 1).nodes));
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, cpus(nodes_of(8)));
}

}  // namespace
}  // namespace berth::placement::fragmentation
