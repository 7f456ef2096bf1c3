#include <gtest/gtest.h>

#include <algorithm>

#include "bench/openb/bound.h"
#include "bench/openb/published.h"
#include "controller/placement/fragmentation/arrivals.h"
#include "controller/placement/fragmentation/learn.h"

namespace berth::placement::fragmentation {
namespace {

Node gpu_node(std::int32_t cpu, std::vector<std::int32_t> gpus) {
  Node made{cpu, static_cast<std::int32_t>(gpus.size()), 1, {}};
  std::copy(gpus.begin(), gpus.end(), made.gpu_milli.begin());
  return made;
}

const std::vector<Ask> kHalves = {Ask{1000, 1, 500, 0}};

std::int64_t place_one(Published which, const std::vector<Node>& nodes, const Ask& ask) {
  const std::vector<Ask> asks = {ask};
  const auto policy = make_published(which, mix_of(asks));
  Packer packer(nodes, asks, *policy, Ties::kFirst, 1);
  return packer.place(0);
}

TEST(Published, PackingTakesAGpuInUseThenANodeInUseThenAnIdleNode) {
  const Ask half{1000, 1, 500, 0};
  EXPECT_EQ(
      place_one(Published::kPacking,
                {gpu_node(9000, {1000}), gpu_node(9000, {600, 1000}), gpu_node(9000, {300, 1000})}, half),
      1);
  EXPECT_EQ(place_one(Published::kPacking, {gpu_node(9000, {1000}), gpu_node(9000, {300, 1000})}, half), 1);
}

TEST(Published, BestFitTakesTheNodeWithLeastLeft) {
  EXPECT_EQ(place_one(Published::kBestFit, {gpu_node(90'000, {1000, 1000}), gpu_node(9000, {1000})},
                      {1000, 1, 500, 0}),
            1);
}

TEST(Published, FgdFillsTheDeviceThatIsAFragmentToOthers) {
  // Where only halves come, the rest of 500 stays useful and a rest of 700 would leave 200: 500 it is, though
  // 700 comes first.
  const auto policy = make_published(Published::kFgd, mix_of(kHalves));
  Packer packer(std::vector<Node>{gpu_node(9000, {700, 500})}, kHalves, *policy, Ties::kFirst, 1);
  EXPECT_EQ(packer.place(0), 0);
  EXPECT_EQ(packer.nodes()[0].gpu_milli[1], 0);
}

TEST(Packer, PlacesNothingWhereNothingFits) {
  EXPECT_EQ(place_one(Published::kFgd, {gpu_node(900, {1000}), gpu_node(9000, {400})}, {1000, 1, 500, 0}),
            -1);
  EXPECT_EQ(place_one(Published::kFgd, {}, {1000, 1, 500, 0}), -1);
}

TEST(Published, RandomSpreadsFractionsOverDevices) {
  const std::vector<Ask> asks = {Ask{100, 1, 100, 0}};
  const auto policy = make_published(Published::kRandom, {});
  Packer packer(std::vector<Node>{gpu_node(9000, {1000, 1000, 1000, 1000})}, asks, *policy, Ties::kDrawn, 1);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(packer.place(0), 0);
  const Node& node = packer.nodes().front();
  EXPECT_GE(std::count_if(node.gpu_milli.begin(), node.gpu_milli.begin() + 4,
                          [](std::int32_t left) { return left < 1000; }),
            2);
}

// Two devices, three pods of 600: the third is dropped, 1200 of 2000 are allocated. 80 % = 1600 arrive with
// the third pod.
TEST(Arrivals, ATinyTraceByHand) {
  const std::vector<Ask> classes = {Ask{100, 1, 600, 0}};
  const std::vector<Node> nodes = {gpu_node(9000, {1000, 1000})};
  const std::vector<std::uint32_t> list = {0, 0};
  const auto arrivals = draw_arrivals(list, classes, 2000, 1);
  EXPECT_EQ(arrivals.size(), 5u);  // 5 * 600 >= 2600
  const auto policy = make_published(Published::kBestFit, {});
  Packer packer(nodes, classes, *policy, Ties::kFirst, 1);
  const Packed packed = pack(packer, classes, arrivals);
  EXPECT_EQ(packed.allocated.front(), 1200);
  EXPECT_EQ(packed.allocated.back(), 1200);
  EXPECT_EQ(packed.drops.fraction, 3);
  // No filling of one device has more than one of them.
  EXPECT_LE(allocation_bound(nodes, classes, arrivals), 1210);
  EXPECT_GE(allocation_bound(nodes, classes, arrivals), 1200);
}

// rho = 2: free GPU 1000 and CPU 1000 feed 500 at rho and 1000 at rho / 2, so only the second slope counts.
TEST(Balanced, PotentialByHand) {
  const ClassMix mix = mix_of(std::vector<Ask>{{2000, 1, 1000, 0}});
  EXPECT_EQ(cpu_per_gpu(mix), 2000);
  const Weights weights = make_weights(Shape{100, 50, 50, 50, 70, 20}, mix, fill_values(mix));
  EXPECT_EQ(potential(gpu_node(1000, {1000}), weights), 500 * kOne / 2 + 20 * kOne);
  EXPECT_EQ(potential(gpu_node(1000, {0}), weights), 0);
  EXPECT_EQ(potential(gpu_node(9000, {150}), weights), 150 * kOne);
}

TEST(Balanced, ARatingIsTheRiseOfThePotential) {
  const std::vector<Ask> asks = {
      {2000, 1, 300, 0}, {3000, 1, 1000, 0}, {5000, 2, 1000, 0}, {4000, 0, 0, 0}, {1000, 2, 400, 0}};
  const ClassMix mix = mix_of(asks);
  const Weights weights = make_weights(Shape{}, mix, fill_values(mix));
  const std::vector<Node> nodes = {gpu_node(9000, {1000, 450, 1000, 300}), gpu_node(5000, {1000, 1000}),
                                   gpu_node(90'000, {1000, 700, 1000})};
  Balanced policy(weights);
  policy.start(nodes);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const Ask& ask : asks) {
      if (!fits(nodes[n], ask)) continue;
      const Rating rating = policy.rate(n, nodes[n], ask);
      std::int64_t least = INT64_MAX;
      for (std::int32_t device = 0; device < nodes[n].gpus; ++device) {
        if (nodes[n].gpu_milli[static_cast<std::size_t>(device)] < ask.gpu_milli) continue;
        Node after = nodes[n];
        take(after, ask, device);
        const std::int64_t rise = potential(after, weights) - potential(nodes[n], weights);
        least = std::min(least, rise);
        if (ask.fraction() && device == rating.device) { EXPECT_EQ(rating.cost, rise); }
      }
      EXPECT_EQ(rating.cost, least);
    }
  }
}

TEST(Balanced, ARestIsWorthItsBestFilling) {
  const auto values = fill_values(mix_of(kHalves));
  EXPECT_EQ(values[100], 1000);
  EXPECT_EQ(values[50], 500);
  EXPECT_EQ(values[49], 0);
}

TEST(Learn, GivesTheSameForTheSame) {
  const std::vector<Node> nodes(6, gpu_node(20'000, {1000, 1000}));
  const ClassMix mix =
      mix_of(std::vector<Ask>{{9000, 1, 1000, 0}, {3000, 1, 810, 0}, {8000, 1, 470, 0}, {8000, 0, 0, 0}});
  const Learned first = learn(nodes, mix);
  EXPECT_EQ(first.weights, learn(nodes, mix).weights);
  EXPECT_GT(first.simulations, 0);
}

TEST(Learn, KeepsTheFirstShapeWhereNoOtherIsSurelyBetter) {
  const std::vector<Node> nodes(6, gpu_node(20'000, {1000, 1000}));
  EXPECT_EQ(learn(nodes, mix_of(kHalves)).shape, Shape{});
}

// Most of the CPU is asked for without a GPU: the share of it that is kept for GPUs has to be another one.
TEST(Learn, TakesAnotherShapeThatAllocatesMoreAndStarvesNobody) {
  const std::vector<Ask> classes = {
      {11'000, 1, 1000, 0}, {3000, 1, 810, 0}, {8000, 1, 470, 0}, {32'000, 0, 0, 0}};
  const std::vector<std::uint32_t> list = {0, 0, 0, 1, 1, 2, 2, 3, 3, 3};
  std::vector<Ask> asks;
  for (const std::uint32_t index : list) asks.push_back(classes[index]);
  std::vector<Node> nodes(40, gpu_node(96'000, {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}));
  nodes.insert(nodes.end(), 40, gpu_node(104'000, {1000, 1000}));
  const ClassMix mix = mix_of(asks);
  const Learned learned = learn(nodes, mix);
  EXPECT_NE(learned.shape, Shape{});
  const auto packed = [&](const Weights& weights) {
    Balanced policy(weights);
    Packer packer(nodes, classes, policy, Ties::kFirst, 1);
    return pack(packer, classes, draw_arrivals(list, classes, gpu_capacity(nodes), 1));
  };
  const Packed first = packed(make_weights(Shape{}, mix, fill_values(mix)));
  const Packed now = packed(learned.weights);
  EXPECT_GT(now.allocated.back(), first.allocated.back());
  EXPECT_LE(now.drops.cpu_only, first.drops.cpu_only + first.drops.cpu_only / 10);
}

}  // namespace
}  // namespace berth::placement::fragmentation
