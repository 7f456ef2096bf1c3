// Preemption against a brute-force oracle: all subsets of the candidates are tried on a cluster of cpu alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "controller/placement/pass/preempt.h"
#include "events/base/random.h"
#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

struct Victim {
  std::string name;
  std::vector<std::pair<int, int>> kernels;  // agent, cpu
  int job_priority = 0;
  Timestamp started = 0;
};

// A cluster of 1 to 3 full agents; one session that asks for `kernels` times `cpu`.
class PreemptionCase {
 public:
  explicit PreemptionCase(std::uint64_t seed) : rng_(seed) {
    TestCluster t;
    t.policy.preemption.enabled = true;
    t.policy.preemption.order = PreemptOrder{static_cast<std::uint8_t>(rng_.below(3))};
    order_ = t.policy.preemption.order;
    t.set_policy(t.policy);
    const int agents = 1 + below(3);
    for (int i = 0; i < agents; ++i) free_.push_back(below(2));
    for (int i = 1 + below(6); i > 0; --i) add_victim(agents);
    sort();
    std::vector<int> capacity = free_;
    for (const Victim& victim : victims_) {
      for (const auto& [agent, cpu] : victim.kernels) capacity[static_cast<std::size_t>(agent)] += cpu;
    }
    for (int i = 0; i < agents; ++i) {
      t.agent("a" + std::to_string(i), {{"cpu", std::to_string(capacity[static_cast<std::size_t>(i)])}});
    }
    for (const Victim& victim : victims_) hold(t, victim);
    multi_node_ = rng_.chance(1, 2);
    count_ = 1 + below(3);
    cpu_ = 2 + below(3);
    PendingSpec spec = t.session_spec("new", {{"cpu", std::to_string(cpu_)}});
    spec.kernels[0].count = static_cast<std::uint32_t>(count_);
    spec.mode = multi_node_ ? Mode::kMultiNode : Mode::kSingleNode;
    spec.job_priority = 5;
    t.wait(spec);
    Model& model = t.cluster.model();
    fits_now_ = fits(0);
    if (fits_now_) return;
    const std::size_t before = total_free(t);
    const PreemptPlan plan =
        Preemptions(model, model.groups[0]).plan(model.find_pending_index(session_id("new")), {});
    EXPECT_EQ(total_free(t), before) << "planning changes nothing";
    for (const LiveIndex live : plan.victims) plan_ |= 1u << place_of(session_name(model.live[live].id));
    places_ = plan.places.placements.size();
  }

  void check() const {
    if (fits_now_) return;
    const unsigned all = (1u << victims_.size()) - 1;
    ASSERT_EQ(plan_ != 0, fits(all)) << "a plan is found if and only if it fits without all of them";
    if (plan_ == 0) return;
    EXPECT_EQ(places_, static_cast<std::size_t>(count_));
    EXPECT_TRUE(fits(plan_)) << "nobody dies for nothing";
    for (unsigned bit = 1; bit <= all; bit <<= 1) {
      EXPECT_FALSE((plan_ & bit) != 0 && fits(plan_ & ~bit)) << "one of them could have stayed";
    }
    for (unsigned other = 1; other <= all; ++other) {
      if (!fits(other)) continue;
      if (order_ == PreemptOrder::kFewestSessions) {
        EXPECT_LE(std::pair(highest(plan_), std::popcount(plan_)),
                  std::pair(highest(other), std::popcount(other)));
      } else {
        EXPECT_LE(std::bit_width(plan_), std::bit_width(other))
            << "a set of those that come earlier would do";
      }
    }
  }

 private:
  int below(int n) { return static_cast<int>(rng_.below(static_cast<std::uint64_t>(n))); }

  void add_victim(int agents) {
    Victim victim{"v" + std::to_string(victims_.size()), {}, below(4), 100 + below(5)};
    for (int i = rng_.chance(1, 4) ? 2 : 1; i > 0; --i)
      victim.kernels.emplace_back(below(agents), 1 + below(3));
    victims_.push_back(victim);
  }
  void sort() {
    const auto key = [&](const Victim& v) {
      return std::tuple{v.job_priority, order_ == PreemptOrder::kNewest ? -v.started : v.started, v.name};
    };
    std::sort(victims_.begin(), victims_.end(),
              [&](const Victim& a, const Victim& b) { return key(a) < key(b); });
  }
  static void hold(TestCluster& t, const Victim& victim) {
    for (std::size_t i = 0; i < victim.kernels.size(); ++i) {
      const auto slots = t.amounts({{"cpu", std::to_string(victim.kernels[i].second)}});
      const std::string agent = "a" + std::to_string(victim.kernels[i].first);
      const PlacedKernel held{static_cast<KernelIndex>(i), agent, slots, {}};
      t.cluster.occupy(session_id(victim.name), std::span(&held, 1));
    }
    LiveFacts facts;
    facts.job_priority = victim.job_priority;
    facts.preemptible = true;
    facts.started = victim.started;
    t.cluster.set_live(session_id(victim.name), facts);
  }
  static std::size_t total_free(TestCluster& t) {
    Amount sum = 0;
    for (AgentIndex i = 0; i < t.cluster.model().agents.size(); ++i)
      sum += t.cluster.free_amount(i, t.slot("cpu"));
    return static_cast<std::size_t>(sum);
  }
  std::size_t place_of(const std::string& name) const {
    std::size_t place = 0;
    while (victims_[place].name != name) ++place;
    return place;
  }
  std::int32_t highest(unsigned gone) const {
    return victims_[static_cast<std::size_t>(std::bit_width(gone)) - 1].job_priority;
  }
  // Whether the session fits without the victims of this set (bits by place in order).
  bool fits(unsigned gone) const {
    std::vector<int> free = free_;
    for (std::size_t i = 0; i < victims_.size(); ++i) {
      for (const auto& [agent, cpu] : victims_[i].kernels) {
        free[static_cast<std::size_t>(agent)] += (gone >> i & 1) != 0 ? cpu : 0;
      }
    }
    int kernels = 0;
    for (const int amount : free) {
      if (amount >= count_ * cpu_ && !multi_node_) return true;
      kernels += amount / cpu_;
    }
    return multi_node_ && kernels >= count_;
  }

  Rng rng_;
  PreemptOrder order_{};
  std::vector<int> free_;        // by agent, before anybody goes
  std::vector<Victim> victims_;  // in the order of candidates
  bool multi_node_ = false;
  int count_ = 1, cpu_ = 1;
  bool fits_now_ = false;
  unsigned plan_ = 0;
  std::size_t places_ = 0;
};

TEST(Preemption, PlansASmallestSetInOrderOrNothingOnRandomClusters) {
  for (std::uint64_t seed = 1; seed <= 3'000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    PreemptionCase(seed).check();
  }
}

// "low" has all of "a1", and may have to go.
struct FullAgent : TestCluster {
  FullAgent() {
    policy.preemption.enabled = true;
    set_policy(policy);
    agent("a1", {{"cpu", "2"}});
    session("low", {{"cpu", "2"}});
    EXPECT_EQ(pass(), Lines{"low -> a1"});
  }
};

TEST(Preemption, APreemptorIsInNoQueueAndItsPlaceIsGivenBackWithIt) {
  FullAgent t;
  PendingSpec high = t.session_spec("high", {{"cpu", "2"}});
  high.job_priority = 1;
  t.wait(high);
  EXPECT_EQ(t.pass(), Lines{});
  EXPECT_TRUE(t.cluster.is_reserved(session_id("high")));
  EXPECT_TRUE(t.cluster.queue("default").empty());
  EXPECT_EQ(t.cluster.free_amount(0, t.slot("cpu")), 0) << "a hold is not used";
  t.end("low");
  t.session("third", {{"cpu", "1"}}, 99);
  EXPECT_EQ(t.pass(), (Lines{"high -> a1", "third: no-capacity cpu"}));
  t.end("high");
  EXPECT_EQ(t.pass(), Lines{"third -> a1"});
  EXPECT_EQ(t.cluster.containers(0), 1u);
}

TEST(Preemption, WhoWaitsAgainStandsWhereTheGroupAsItIsNowHasIt) {  // tests/BEHAVIOURS.md H3
  FullAgent t;
  PendingSpec high = t.session_spec("high", {{"cpu", "1"}});
  high.job_priority = 1;
  high.retries = 1;
  t.wait(high);
  t.pass();
  EXPECT_TRUE(t.cluster.is_reserved(high.id));
  t.policy.head_of_line = HeadOfLine::kSkipAfterN;
  t.policy.skip_after = 1;
  t.set_policy(t.policy);
  t.session("other", {{"cpu", "2"}});
  t.drain("a1");
  t.agent("a2", {{"cpu", "2"}});
  EXPECT_EQ(t.pass(), (Lines{"other -> a2", "high: no-capacity cpu"})) << "skipped often enough";
}

TEST(Preemption, WhoLostItsPlaceIsToldWhyItWaitsThoughAnotherOfItsKindComesFirst) {
  FullAgent t;
  PendingSpec came_again = t.session_spec("again", {{"cpu", "2"}});  // asked for before "high"
  PendingSpec high = t.session_spec("high", {{"cpu", "2"}});
  high.job_priority = came_again.job_priority = 1;
  t.wait(high);
  t.pass();
  EXPECT_TRUE(t.cluster.is_reserved(high.id));
  t.wait(came_again);
  t.drain("a1");
  Lines told = t.pass();
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, (Lines{"again: no-agents", "high: no-agents"}));
}

TEST(Preemption, WhatThisPassPlacedIsNoVictimInIt) {
  TestCluster t;
  t.policy.preemption.enabled = true;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "2"}});
  t.session("low", {{"cpu", "2"}});
  PendingSpec high = t.session_spec("high", {{"cpu", "2"}});
  high.job_priority = 1;
  t.wait(high);
  EXPECT_EQ(t.pass(), (Lines{"low -> a1", "high: no-capacity cpu"}));
  EXPECT_EQ(t.pass(), Lines{}) << "nothing to tell but that its place is held";
  EXPECT_TRUE(t.cluster.is_reserved(session_id("high")));
}

}  // namespace
}  // namespace berth::placement::testing
