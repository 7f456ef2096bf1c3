// Gangs and several kernels on one agent's devices: placed if and only if brute force finds a way, whatever
// the policies prefer.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "controller/placement/devices/pack_devices.h"
#include "events/base/random.h"
#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

struct Gpu {
  int capacity = 10, free = 10;  // quanta of 0.1
};
struct Node {
  int cpu = 0;
  std::vector<Gpu> gpus;
};
struct Kernel {
  int cpu = 0, shares = 0;
};
using Way = std::vector<std::pair<std::size_t, int>>;  // device, quanta

// All ways in which the guard lets devices give so much: n devices, equal parts but for one quantum.
std::vector<Way> ways(const std::vector<Gpu>& gpus, int asked, Spread spread) {
  int largest = 0;
  for (const Gpu& gpu : gpus) largest = std::max(largest, gpu.capacity);
  std::vector<Way> all;
  if (largest == 0) return all;
  const int fewest = (asked + largest - 1) / largest;
  const unsigned end = 1u << gpus.size();
  for (unsigned set = 1; set < end; ++set) {
    const int count = std::popcount(set);
    const bool allowed = count == fewest || (count > fewest && fewest > 1 && spread == Spread::kEven);
    if (!allowed || count > asked) continue;
    for (unsigned more = 0; more < end; ++more) {
      if ((more & ~set) != 0 || std::popcount(more) != asked % count) continue;
      Way way;
      for (std::size_t i = 0; i < gpus.size(); ++i) {
        if ((set >> i & 1) != 0) way.emplace_back(i, asked / count + static_cast<int>(more >> i & 1));
      }
      all.push_back(way);
    }
  }
  return all;
}

bool exists(std::vector<Node>& nodes, const std::vector<Kernel>& kernels, std::size_t next, bool one_node,
            Spread spread, std::size_t only = ~0ull) {
  if (next == kernels.size()) return true;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    Node& node = nodes[n];
    if (only != ~0ull && n != only) continue;
    if (node.cpu < kernels[next].cpu) continue;
    const std::vector<Way> all =
        kernels[next].shares == 0 ? std::vector<Way>{{}} : ways(node.gpus, kernels[next].shares, spread);
    for (const Way& way : all) {
      bool room = true;
      for (const auto& [gpu, quanta] : way) room = room && node.gpus[gpu].free >= quanta;
      if (!room) continue;
      node.cpu -= kernels[next].cpu;
      for (const auto& [gpu, quanta] : way) node.gpus[gpu].free -= quanta;
      const bool found = exists(nodes, kernels, next + 1, one_node, spread, one_node ? n : ~0ull);
      node.cpu += kernels[next].cpu;
      for (const auto& [gpu, quanta] : way) node.gpus[gpu].free += quanta;
      if (found) return true;
    }
  }
  return false;
}

std::string tenths(int quanta) { return std::to_string(quanta / 10) + "." + std::to_string(quanta % 10); }

class Situation {
 public:
  explicit Situation(std::uint64_t seed) : rng_(seed) {
    spread_ = rng_.chance(1, 2) ? Spread::kEven : Spread::kFill;
    for (int i = 1 + below(4); i > 0; --i) {
      Node node{2 + below(7), {}};
      for (int gpus = rng_.chance(1, 3) ? 0 : 1 + below(3); gpus > 0; --gpus)
        node.gpus.push_back({10, 3 + below(8)});
      nodes_.push_back(node);
    }
    const int kinds = 1 + below(4);
    for (int i = 0; i < kinds; ++i) {
      Kernel kernel{1 + below(4), 0};
      if (rng_.chance(1, 2)) kernel.shares = rng_.chance(1, 6) ? 11 + below(9) : 1 + below(10);
      kinds_.push_back(kernel);
      counts_.push_back(kinds == 1 ? 1 + below(5) : 1 + below(2));
      kernels_.insert(kernels_.end(), static_cast<std::size_t>(counts_.back()), kernel);
    }
    if (kernels_.size() > 5) kernels_.clear();
    one_node_ = rng_.chance(1, 3);
  }

  // 1 placed, 0 not; -1: not looked at.
  int check() {
    if (kernels_.empty()) return -1;
    TestCluster t;
    t.policy.select = rng_.chance(1, 2) ? Select::kConcentrated : Select::kDispersed;
    DevicePolicy shares = default_device_policy("cuda.shares", SlotKind::kCount);
    shares.spread = spread_;
    t.policy.devices = {{t.slot("cuda.shares"), shares}};
    t.set_policy(t.policy);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      std::vector<DeviceText> devices;
      for (const Gpu& gpu : nodes_[i].gpus) {
        const std::string id = "gpu" + std::to_string(devices.size());
        devices.push_back({id, {{"cuda.shares", "1"}}, {{"cuda.shares", tenths(gpu.capacity - gpu.free)}}});
      }
      t.agent("a" + std::to_string(i), {{"cpu", std::to_string(nodes_[i].cpu)}}, {}, devices);
    }
    PendingSpec spec = t.session_spec("s", {});
    spec.mode = one_node_ ? Mode::kSingleNode : Mode::kMultiNode;
    spec.kernels.clear();
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const Amounts slots{{"cpu", std::to_string(kinds_[i].cpu)}, {"cuda.shares", tenths(kinds_[i].shares)}};
      spec.kernels.push_back({t.amounts(slots), "", static_cast<std::uint32_t>(counts_[i])});
    }
    t.wait(spec);
    const Lines lines = t.pass();
    const bool placed = lines.front().find("->") != std::string::npos;
    EXPECT_EQ(placed, exists(nodes_, kernels_, 0, one_node_, spread_)) << lines.front();
    for (AgentIndex agent = 0; agent < nodes_.size(); ++agent) {
      EXPECT_GE(t.cluster.free_amount(agent, t.slot("cpu")), 0);
      for (DeviceIndex gpu = 0; gpu < nodes_[agent].gpus.size(); ++gpu) {
        EXPECT_GE(t.cluster.free_amount(agent, gpu, t.slot("cuda.shares")), 0);
      }
    }
    return placed ? 1 : 0;
  }

 private:
  int below(int n) { return static_cast<int>(rng_.below(static_cast<std::uint64_t>(n))); }

  Rng rng_;
  Spread spread_{};
  std::vector<Node> nodes_;
  std::vector<Kernel> kinds_, kernels_;
  std::vector<int> counts_;
  bool one_node_ = false;
};

TEST(Gang, IsPlacedIfAndOnlyIfBruteForceFindsAWay) {
  int seen[2] = {0, 0};
  for (std::uint64_t seed = 1; seed <= 6'000 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const int placed = Situation(seed).check();
    if (placed >= 0) ++seen[placed];
  }
  EXPECT_GT(seen[0], 500);
  EXPECT_GT(seen[1], 500);
}

TEST(Gang, GreedyFailsAndOursDoesNot) {
  TestCluster t;  // concentrated: the small kernel goes to the tightest agent, the only one with memory for
                  // the big one
  t.agent("a", {{"cpu", "4"}, {"mem", "8g"}});
  t.agent("b", {{"cpu", "8"}, {"mem", "1g"}});
  PendingSpec spec = t.session_spec("s", {{"cpu", "1"}, {"mem", "1g"}});
  spec.mode = Mode::kMultiNode;
  spec.kernels.push_back({t.amounts({{"cpu", "4"}, {"mem", "4g"}}), "", 1});
  t.wait(spec);
  EXPECT_EQ(t.pass(), Lines{"s -> b a"});
}

TEST(Gang, EightUnequalKernelsThatFitInOneWayOnly) {
  TestCluster t;  // dispersed: one by one, each would take the largest agent that it finds
  t.policy.select = Select::kDispersed;
  t.set_policy(t.policy);
  for (int i = 1; i <= 8; ++i)
    t.agent("a" + std::to_string(i), {{"cpu", std::to_string(i)}, {"mem", std::to_string(9 - i) + "g"}});
  PendingSpec spec = t.session_spec("s", {});
  spec.mode = Mode::kMultiNode;
  spec.kernels.clear();
  for (const int i : {3, 1, 8, 5, 2, 7, 4, 6}) {
    spec.kernels.push_back(
        {t.amounts({{"cpu", std::to_string(i)}, {"mem", std::to_string(9 - i) + "g"}}), "", 1});
  }
  t.wait(spec);
  EXPECT_EQ(t.pass(), Lines{"s -> a3 a1 a8 a5 a2 a7 a4 a6"});
}

TEST(Gang, AHundredEqualKernelsTakeAllThatThereIs) {
  TestCluster t;
  for (int i = 10; i < 20; ++i) t.agent("a" + std::to_string(i), {{"cpu", "21"}});
  PendingSpec spec = t.session_spec("s", {{"cpu", "2"}});
  spec.mode = Mode::kMultiNode;
  spec.kernels[0].count = 100;
  t.wait(spec);
  EXPECT_NE(t.pass().front().find("->"), std::string::npos);
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cpu")), kUnit);
}

}  // namespace
}  // namespace berth::placement::testing
