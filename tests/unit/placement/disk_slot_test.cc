// The slot `disk` counts in capacity alone: where it is plentiful a cluster decides as if nobody had heard of
// it.
#include <gtest/gtest.h>

#include "controller/placement/order/drf.h"
#include "controller/placement/order/fair_share.h"
#include "controller/placement/pass/explain.h"
#include "events/base/random.h"
#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

class DiskCluster : public TestCluster {
 public:
  DiskCluster() { cluster.define_slot("disk", SlotKind::kBytes); }
};

Amounts with_disk(Amounts slots, const std::string& disk) {
  slots["disk"] = disk;
  return slots;
}
Amounts cpu_and_mem(const std::string& cpu) { return {{"cpu", cpu}, {"mem", "16g"}}; }

// The same random agents and sessions in both; in `with` all agents have disk and the sessions ask for it.
void fill(Rng& rng, TestCluster& without, DiskCluster& with) {
  for (int i = 0; i < 6; ++i) {
    Amounts slots = cpu_and_mem(std::to_string(2 + rng.below(7)));
    if (rng.chance(1, 2)) slots["cuda.shares"] = std::to_string(1 + rng.below(4));
    const std::string name = "a" + std::to_string(i);
    without.agent(name, slots);
    with.agent(name, rng.chance(2, 3) ? with_disk(slots, std::to_string(100 + rng.below(900)) + "g")
                                      : with_disk(slots, "1t"));
  }
  for (int i = 0; i < 25; ++i) {
    Amounts slots{{"cpu", std::to_string(1 + rng.below(3))}, {"mem", "1g"}};
    if (rng.chance(1, 3)) slots["cuda.shares"] = "1";
    const std::string name = "s" + std::to_string(i);
    PendingSpec spec = without.session_spec(name, slots);
    spec.user = "u" + std::to_string(rng.below(3));
    without.wait(spec);
    PendingSpec asks = with.session_spec(name, with_disk(slots, std::to_string(1 + rng.below(4)) + "g"));
    asks.user = spec.user;
    with.wait(asks);
  }
}

// Who goes where, in order. Of those who stay the two clusters know different classes.
Lines placements_of(Lines all) {
  std::erase_if(all, [](const std::string& line) { return line.find(" ->") == std::string::npos; });
  return all;
}

TEST(DiskSlot, WherePlentifulDecidesNothing) {
  for (const Order order : {Order::kFifo, Order::kLifo, Order::kDrf, Order::kFairShare, Order::kBackfill}) {
    for (const Select select :
         {Select::kConcentrated, Select::kDispersed, Select::kRoundRobin, Select::kFgd, Select::kBalanced}) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Rng rng(seed);
        TestCluster without;
        DiskCluster with;
        GroupPolicy policy;
        policy.order = order;
        policy.select = select;
        policy.head_of_line = HeadOfLine::kGreedy;
        policy.mix = {{{1'000, 1, 1'000, 0, 0}, 5}, {{2'000, 0, 0, 0, 0}, 3}};
        without.set_policy(policy);
        with.set_policy(policy);
        fill(rng, without, with);
        ASSERT_EQ(placements_of(with.pass()), placements_of(without.pass()))
            << "order " << static_cast<int>(order) << ", selection " << static_cast<int>(select) << ", seed "
            << seed;
      }
    }
  }
}

TEST(DiskSlot, BoundsWhatAnAgentTakesAndIsNamed) {
  DiskCluster t;
  t.agent("a", with_disk(cpu_and_mem("8"), "10g"));
  t.session("s1", with_disk({{"cpu", "1"}, {"mem", "1g"}}, "6g"));
  t.session("s2", with_disk({{"cpu", "1"}, {"mem", "1g"}}, "6g"));
  EXPECT_EQ(t.pass(), (Lines{"s1 -> a", "s2: no-capacity disk"}));
  t.end("s1");
  EXPECT_EQ(t.pass(), (Lines{"s2 -> a"}));
}

TEST(DiskSlot, AnAgentThatDoesNotReportItTakesNobodyWhoAsks) {
  DiskCluster t;
  t.agent("a", cpu_and_mem("8"));
  t.agent("b", with_disk(cpu_and_mem("8"), "10g"));
  t.session("s1", with_disk({{"cpu", "1"}, {"mem", "1g"}}, "6g"));
  EXPECT_EQ(t.pass(), (Lines{"s1 -> b"}));
}

// `a` would come first by its id; with `disk` in the priority it has a capability of which nothing is asked.
TEST(DiskSlot, IsNoUnusedCapabilityUnlessThePriorityNamesIt) {
  for (const bool named : {false, true}) {
    DiskCluster t;
    if (named) t.policy.slot_priority = {"cpu", "mem", "disk"};
    t.set_policy(t.policy);
    t.agent("a", with_disk(cpu_and_mem("8"), "10g"));
    t.agent("b", cpu_and_mem("8"));
    t.session("s1", {{"cpu", "1"}, {"mem", "1g"}});
    EXPECT_EQ(t.pass(), (Lines{named ? "s1 -> b" : "s1 -> a"}));
  }
}

// Concentrated: of two alike the one with less of it left, only where the priority names it.
TEST(DiskSlot, IsNoScoreUnlessThePriorityNamesIt) {
  for (const bool named : {false, true}) {
    DiskCluster t;
    if (named) t.policy.slot_priority = {"disk", "cpu", "mem"};
    t.set_policy(t.policy);
    t.agent("a", with_disk(cpu_and_mem("8"), "100g"));
    t.agent("b", with_disk(cpu_and_mem("8"), "10g"));
    t.session("s1", with_disk({{"cpu", "1"}, {"mem", "1g"}}, "1g"));
    EXPECT_EQ(t.pass(), (Lines{named ? "s1 -> b" : "s1 -> a"}));
  }
}

// u1 holds a tenth of the cores and nearly all of the disk, u2 half of the cores.
TEST(DiskSlot, IsNoDominantShareUnlessThePriorityNamesIt) {
  for (const bool named : {false, true}) {
    DiskCluster t;
    t.policy.order = Order::kDrf;
    if (named) t.policy.slot_priority = {"cpu", "mem", "disk"};
    t.set_policy(t.policy);
    t.agent("a", with_disk({{"cpu", "10"}, {"mem", "16g"}}, "100g"));
    const auto ask = [&](const char* name, const char* user, const char* cpu, const char* disk) {
      PendingSpec spec = t.session_spec(name, with_disk({{"cpu", cpu}, {"mem", "1g"}}, disk));
      spec.user = user;
      t.wait(spec);
    };
    ask("s1", "u1", "1", "90g");
    ask("s2", "u2", "5", "1g");
    t.pass();
    ask("s3", "u2", "1", "1g");
    ask("s4", "u1", "1", "1g");
    const Lines all = t.pass();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0], named ? "s3 -> a" : "s4 -> a");
  }
}

Factor factor_of(const GroupPolicy& policy) {
  DiskCluster t;
  t.set_policy(policy);
  t.agent("a", with_disk(cpu_and_mem("10"), "1g"));
  FairShareRow row;
  row.usage[20'000][*t.cluster.find_slot("disk")] = SlotSeconds{1} << 50;
  const std::vector<FairShareRow> rows{row};
  const Model& model = t.cluster.model();
  return fair_factors(model, model.groups[0], rows, 20'000, policy.fair_share)[0].factor;
}

TEST(DiskSlot, IsNoPastUseUnlessAWeightOrThePriorityNamesIt) {
  GroupPolicy policy;
  policy.order = Order::kFairShare;
  EXPECT_EQ(factor_of(policy), kOneFactor);
  GroupPolicy weighed = policy;
  weighed.fair_share.slot_weights.emplace_back("disk", kUnit);
  EXPECT_LT(factor_of(weighed), kOneFactor);
  GroupPolicy named = policy;
  named.slot_priority.emplace_back("disk");
  EXPECT_LT(factor_of(named), kOneFactor);
}

TEST(DiskSlot, ComesLastInTheOrderOfSlotsUnlessNamed) {
  DiskCluster t;
  const auto names = [&] {
    Lines out;
    for (const SlotId slot : t.cluster.model().groups[0].slot_order)
      out.emplace_back(t.cluster.slot_name(slot));
    return out;
  };
  EXPECT_EQ(names(), (Lines{"cuda.shares", "cpu", "mem", "disk"}));
  t.policy.slot_priority = {"disk", "mem"};
  t.set_policy(t.policy);
  EXPECT_EQ(names(), (Lines{"disk", "mem", "cpu", "cuda.shares"}));
}

}  // namespace
}  // namespace berth::placement::testing
