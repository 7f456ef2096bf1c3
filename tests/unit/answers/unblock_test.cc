// Unblock sets against brute force on small random clusters, and the answers of a few clusters that can be
// checked by hand.
#include "controller/answers/unblock.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/rounds.h"
#include "tests/unit/answers/unblock_random.h"

namespace berth::placement::testing {
namespace {

std::string text_of(const std::vector<SessionSet>& sets) {
  std::string text;
  for (const SessionSet& set : sets) {
    text += "{";
    for (const SessionId& id : set) text += session_name(id) + " ";
    text += "} ";
  }
  return text;
}

UnblockOptions exact(const Facts& facts) {
  UnblockOptions options;
  options.work = options.copy_work = 100'000'000'000;
  options.now = facts.now;
  options.max_sets = 100'000;
  return options;
}

TEST(Unblock, TheThirdOfTwoShareHoldersStartsIfEitherEnds) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}, {"mem", "8g"}}, {}, {{"gpu0", {{"cuda.shares", "2"}}, {}}});
  for (const char* name : {"demo-1", "demo-2", "demo-3"})
    t.session(name, {{"cpu", "0.5"}, {"mem", "256m"}, {"cuda.shares", "1"}});
  t.pass();
  const Unblock answer = unblock(t.cluster, session_id("demo-3"));
  EXPECT_EQ(text_of(answer.ends.sets), "{demo-1 } {demo-2 } ");
  EXPECT_TRUE(answer.ends.complete);
  EXPECT_FALSE(answer.fits_alone);
  EXPECT_TRUE(answer.less.empty());  // nothing of it is free
  t.end("demo-2");
  EXPECT_EQ(t.pass(), Lines{"demo-3 -> a1 gpu0:cuda.shares=1"});
}

TEST(Unblock, FitsWithLessNamesTheLargestAmountThatStarts) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}}, {}, {{"gpu0", {{"cuda.shares", "1"}}, {{"cuda.shares", "0.5"}}}});
  t.session("s", {{"cpu", "1"}, {"cuda.shares", "1"}});
  t.session("wide", {{"cpu", "5.5"}, {"cuda.shares", "0.2"}});
  GroupPolicy greedy;
  greedy.head_of_line = HeadOfLine::kGreedy;
  t.set_policy(greedy);
  t.pass();
  const Unblock answer = unblock(t.cluster, session_id("s"));
  ASSERT_EQ(answer.less.size(), 1u);
  EXPECT_EQ(answer.less[0].amounts[0].amount, 500'000);
  const Unblock wide = unblock(t.cluster, session_id("wide"));
  ASSERT_EQ(wide.less.size(), 1u);
  EXPECT_EQ(wide.less[0].amounts[0].slot, t.slot("cpu"));
  EXPECT_EQ(wide.less[0].amounts[0].amount, 4 * kUnit);
}

TEST(Unblock, FitsWithLessNamesARoundAmount) {
  TestCluster t;
  t.agent("a1", {{"cpu", "2"}, {"mem", "1000000000"}}, {});
  PendingSpec three = t.session_spec("thirds", {{"cpu", "1"}});
  three.kernels[0].count = 3;
  t.wait(three);
  t.session("bytes", {{"cpu", "1"}, {"mem", "2000000000"}});
  GroupPolicy greedy;
  greedy.head_of_line = HeadOfLine::kGreedy;
  t.set_policy(greedy);
  t.pass();
  const Unblock thirds = unblock(t.cluster, session_id("thirds"));
  ASSERT_EQ(thirds.less.size(), 1u);
  EXPECT_EQ(thirds.less[0].amounts[0].amount, 666'000);
  const Unblock bytes = unblock(t.cluster, session_id("bytes"));
  ASSERT_EQ(bytes.less.size(), 1u);
  EXPECT_EQ(bytes.less[0].amounts[0].amount, Amount{953} << 20);
}

TEST(Unblock, SlotsThatLackTogetherGiveWayTogether) {
  TestCluster t;
  t.agent("a1", {{"cpu", "2"}, {"mem", "4g"}});
  t.session("s", {{"cpu", "3"}, {"mem", "8g"}});
  t.pass();
  const Unblock answer = unblock(t.cluster, session_id("s"));
  ASSERT_EQ(answer.less.size(), 1u);
  EXPECT_EQ(answer.less[0].amounts.size(), 2u);
  EXPECT_TRUE(answer.ends.sets.empty());
  EXPECT_TRUE(answer.ends.complete);  // nobody holds anything
}

TEST(Unblock, BehindAHeadItStartsIfTheHeadLeavesOrTheHeadsRoomIsFreed) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}});
  t.agent("a2", {{"cpu", "2"}});
  t.session("runs", {{"cpu", "3"}});
  t.pass();
  t.session("big", {{"cpu", "4"}});
  t.session("small", {{"cpu", "1"}});
  t.pass();
  const Unblock answer = unblock(t.cluster, session_id("small"));
  EXPECT_TRUE(answer.fits_alone);
  EXPECT_EQ(text_of(answer.leaves.sets), "{big } ");
  EXPECT_TRUE(answer.leaves.complete);
  EXPECT_EQ(text_of(answer.ends.sets), "{runs } ");
}

TEST(Unblock, OfALimitItSaysTheLeastRaiseAndWhetherItThenStarts) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}});
  PendingSpec spec = t.session_spec("s", {{"cpu", "1"}});
  spec.wait_cause = {Code::kLimit, t.slot("cpu")};
  t.wait(spec);
  t.pass();
  UnblockOptions options;
  options.limits = {{"cpu limit of project alpha", t.slot("cpu"), 4 * kUnit, kUnit, 4 * kUnit},
                    {"sessions limit of user u", kNoSlot, 1, 1, 5}};
  const Unblock answer = unblock(t.cluster, spec.id, options);
  ASSERT_EQ(answer.raises.size(), 1u);
  EXPECT_EQ(answer.raises[0].raise, kUnit);  // 4 used + 1 asked - 4
  EXPECT_TRUE(answer.starts_when_raised);
  EXPECT_FALSE(answer.starts_now);
}

// One cluster whose answer is known, under what cannot be walked.
TEST(Unblock, OrdersThatMoveAreProvedOnACopy) {
  for (const Order order : {Order::kDrf, Order::kFairShare, Order::kBackfill}) {
    TestCluster t;
    t.policy.order = order;
    t.set_policy(t.policy);
    t.agent("a1", {{"cpu", "4"}});
    t.session("one", {{"cpu", "2"}});
    t.session("two", {{"cpu", "1"}});
    t.pass();
    t.session("s", {{"cpu", "3"}});
    t.pass();
    const Unblock answer = unblock(t.cluster, session_id("s"));
    EXPECT_TRUE(answer.proved && answer.ends.complete && answer.leaves.complete && answer.less_complete);
    EXPECT_EQ(text_of(answer.ends.sets), "{one } ") << static_cast<int>(order);
    ASSERT_EQ(answer.less.size(), 1u);
    EXPECT_EQ(answer.less[0].amounts[0].amount, 1 * kUnit);
    EXPECT_TRUE(t.pass().empty());
    t.end("one");
    EXPECT_EQ(t.pass(), Lines{"s -> a1"});
  }
}

TEST(Unblock, OfAPreemptorItSaysWhoHasToGo) {
  TestCluster t;
  t.policy.preemption.enabled = true;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "2"}});
  t.session("low", {{"cpu", "1"}});
  t.session("same", {{"cpu", "1"}});
  t.pass();
  LiveFacts facts;
  facts.job_priority = 5;
  t.cluster.set_live(session_id("same"), facts);
  PendingSpec high = t.session_spec("high", {{"cpu", "1"}});
  high.job_priority = 5;
  t.wait(high);
  const Unblock answer = unblock(t.cluster, high.id);
  EXPECT_FALSE(answer.starts_now);
  EXPECT_EQ(text_of({answer.victims}), "{low } ");
  EXPECT_EQ(text_of(answer.ends.sets), "{low } {same } ");
  const auto name = [](const SessionId& id) { return session_name(id); };
  EXPECT_EQ(unblock_lines(t.cluster, answer, name).front(),
            "the next pass holds a place for it: low has to go first");
  EXPECT_FALSE(t.cluster.is_reserved(high.id));
}

TEST(Unblock, ACellThatIsTooLargeForACopyIsSaid) {
  TestCluster t;
  t.policy.order = Order::kDrf;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "1"}});
  t.session("one", {{"cpu", "1"}});
  t.session("two", {{"cpu", "1"}});
  t.pass();
  UnblockOptions options;
  options.copy_work = 5;
  const Unblock answer = unblock(t.cluster, session_id("two"), options);
  EXPECT_FALSE(answer.proved);
  EXPECT_FALSE(answer.ends.complete || answer.leaves.complete || answer.less_complete);
  const auto name = [](const SessionId& id) { return session_name(id); };
  EXPECT_EQ(unblock_lines(t.cluster, answer, name),
            Lines{"the cell is too large to try what would let it start"});
}

// Its group selects by a policy of its own, which is not there: said as if it concentrated, and told.
TEST(Unblock, APolicyOfOnesOwnIsNotAsked) {
  TestCluster t;
  t.policy.select = Select::kCustom;
  t.policy.custom = "rack";
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "1"}});
  t.session("one", {{"cpu", "1"}});
  t.session("two", {{"cpu", "1"}});
  t.pass();
  const Unblock answer = unblock(t.cluster, session_id("two"));
  EXPECT_TRUE(answer.concentrated);
  EXPECT_EQ(text_of(answer.ends.sets), "{one } ");
  const auto name = [](const SessionId& id) { return session_name(id); };
  EXPECT_EQ(
      unblock_lines(t.cluster, answer, name),
      (Lines{"starts if one ends",
             "its group's own policy (select custom) was not asked: this holds as if it concentrated"}));
}

TEST(Unblock, ABoundThatIsTooSmallIsSaid) {
  CrowdedCluster world(3);
  UnblockOptions options;
  options.work = 3;
  for (const PendingSpec& spec : world.facts.waiting) {
    const Unblock answer = unblock(world.t.cluster, spec.id, options);
    const bool waits_for_room = !answer.starts_now && spec.wait_cause.code == Code::kNone;
    EXPECT_NE(answer.ends.complete, waits_for_room);
  }
}

constexpr std::uint64_t kAllClusters = 12;  // a seed; brute force is slow
const std::uint64_t kClusters = berth::testing::rounds(kAllClusters);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 2;  // ten times slower
#else
constexpr std::uint64_t kSeeds = 6;
#endif

struct UnblockSeed {
  std::uint64_t seed;
  Policies policies;
  std::uint64_t first() const { return seed * 1000; }
  std::uint64_t last() const { return first() + (policies == Policies::kAny ? kClusters / 2 : kClusters); }
};

class UnblockOracle : public ::testing::TestWithParam<UnblockSeed> {};

// Every waiting session: ends and leaves are exactly the minimal sets of brute force, less the largest
// amounts.
TEST_P(UnblockOracle, SaysWhatBruteForceSays) {
  std::size_t asked = 0, sets = 0;
  for (std::uint64_t seed = GetParam().first(); seed < GetParam().last(); ++seed) {
    CrowdedCluster world(seed, GetParam().policies);
    const Oracle oracle(world.facts);
    const std::vector<SessionId> queue = world.t.cluster.queue("default");
    for (const PendingSpec& spec : world.facts.waiting) {
      if (world.t.cluster.is_reserved(spec.id)) continue;  // it waits for its victims
      SCOPED_TRACE("seed " + std::to_string(seed) + " " + session_name(spec.id));
      const Unblock answer = unblock(world.t.cluster, spec.id, exact(world.facts));
      const bool held = spec.wait_cause.code != Code::kNone;
      EXPECT_EQ(answer.starts_now, oracle.starts(spec.id, {}));
      if (held || answer.starts_now) continue;
      ASSERT_TRUE(answer.ends.complete && answer.leaves.complete && answer.less_complete);
      EXPECT_EQ(text_of(answer.ends.sets), text_of(oracle.minimal(spec.id, oracle.live(), 3)));
      EXPECT_EQ(text_of(answer.leaves.sets),
                text_of(oracle.minimal(spec.id, oracle.rivals(spec.id, queue), 3)));
      ++asked;
      sets += answer.ends.sets.size() + answer.leaves.sets.size();
      if (HasFailure()) return;
    }
  }
  if (kClusters < kAllClusters) return;  // a few may have nothing to ask
  EXPECT_GT(asked, 8u);
  EXPECT_GT(sets, 8u);
}

TEST_P(UnblockOracle, NamesTheLargestAmountsThatStart) {
  std::size_t offers = 0;
  for (std::uint64_t seed = GetParam().first(); seed < GetParam().last(); ++seed) {
    CrowdedCluster world(seed, GetParam().policies);
    const Oracle oracle(world.facts);
    for (const PendingSpec& spec : world.facts.waiting) {
      if (spec.wait_cause.code != Code::kNone || oracle.starts(spec.id, {})) continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + " " + session_name(spec.id));
      const Unblock answer = unblock(world.t.cluster, spec.id, exact(world.facts));
      std::map<std::pair<std::size_t, SlotId>, Amount> said, expected;
      for (const Less& less : answer.less) {
        if (less.amounts.size() == 1) said[{less.part, less.amounts[0].slot}] = less.amounts[0].amount;
      }
      for (std::size_t part = 0; part < spec.kernels.size(); ++part) {
        for (const SlotAmount& slot : spec.kernels[part].slots) {
          const bool bytes = world.t.cluster.slot_kind(slot.slot) == SlotKind::kBytes;
          const Amount step = bytes ? 64 << 20 : slot.slot == world.t.slot("cpu") ? kUnit / 20 : kUnit / 10;
          if (const Amount most = oracle.largest(spec, part, slot.slot, step))
            expected[{part, slot.slot}] = most;
        }
      }
      EXPECT_EQ(said, expected);
      offers += said.size();
      if (HasFailure()) return;
    }
  }
  if (kClusters == kAllClusters) { EXPECT_GT(offers, GetParam().policies == Policies::kAny ? 0u : 2u); }
}

// As on a cluster with too many sessions for all subsets: what is printed is true and minimal, and "complete"
// is.
TEST_P(UnblockOracle, WhereItDoesNotTryAllSubsetsWhatItSaysIsStillTrue) {
  std::size_t sets = 0, complete = 0;
  for (std::uint64_t seed = GetParam().first(); seed < GetParam().last(); ++seed) {
    CrowdedCluster world(seed, GetParam().policies);
    const Oracle oracle(world.facts);
    for (const PendingSpec& spec : world.facts.waiting) {
      if (spec.wait_cause.code != Code::kNone) continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + " " + session_name(spec.id));
      UnblockOptions options = exact(world.facts);
      options.all_subsets_of = 0;
      const Unblock answer = unblock(world.t.cluster, spec.id, options);
      if (answer.starts_now) continue;
      const std::vector<SessionSet> expected = oracle.minimal(spec.id, oracle.live(), 3);
      for (const SessionSet& set : answer.ends.sets) {
        EXPECT_NE(std::find(expected.begin(), expected.end(), set), expected.end())
            << text_of({set}) << text_of(expected);
      }
      if (answer.ends.complete) {
        EXPECT_EQ(text_of(answer.ends.sets), text_of(expected));
        ++complete;
      }
      sets += answer.ends.sets.size();
      if (HasFailure()) return;
    }
  }
  if (kClusters < kAllClusters) return;
  EXPECT_GT(sets, 5u);
  if (GetParam().policies == Policies::kWalked) { EXPECT_GT(complete, 2u); }
}

// The clusters are as they were: the next pass decides the same as without the questions.
TEST_P(UnblockOracle, AskingChangesNothing) {
  for (std::uint64_t seed = GetParam().first(); seed < GetParam().last(); ++seed) {
    CrowdedCluster asked(seed, GetParam().policies);
    CrowdedCluster silent(seed, GetParam().policies);
    for (const PendingSpec& spec : asked.facts.waiting) (void)unblock(asked.t.cluster, spec.id);
    EXPECT_EQ(asked.t.pass({1'000'000, false, true}), silent.t.pass({1'000'000, false, true}));
    for (const Facts::Live& session : asked.facts.live) {
      asked.t.cluster.release(session.spec.id);
      silent.t.cluster.release(session.spec.id);
      EXPECT_EQ(asked.t.pass({1'000'000, true, true}), silent.t.pass({1'000'000, true, true}));
    }
  }
}

std::vector<UnblockSeed> seeds() {
  std::vector<UnblockSeed> all;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    all.push_back({seed, Policies::kWalked});
    all.push_back({seed, Policies::kAny});
  }
  return all;
}

std::string name_of(const ::testing::TestParamInfo<UnblockSeed>& info) {
  return (info.param.policies == Policies::kAny ? "AnyPolicy" : "Walked") + std::to_string(info.param.seed);
}

INSTANTIATE_TEST_SUITE_P(Seeds, UnblockOracle, ::testing::ValuesIn(seeds()), name_of);

}  // namespace
}  // namespace berth::placement::testing
