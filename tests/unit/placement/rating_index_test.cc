// What is kept of ratings against looking at every agent: random groups, needs, changes and questions.

#include "controller/placement/select/rating_index.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "controller/placement/model/catalog.h"
#include "controller/placement/select/search_index.h"
#include "events/base/random.h"
#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

constexpr std::size_t kNeeds = 3;

// Ratings that a test sets: by need and agent.
class RatedWorld {
 public:
  explicit RatedWorld(std::uint64_t seed) : rng_(seed) {
    t_.agent("a-first", {{"cpu", "1"}});
    for (std::size_t i = 0; i < kNeeds; ++i) {
      t_.session("s" + std::to_string(i), {{"cpu", std::to_string(i + 1)}});
      needs_.push_back(
          model().classes[model().find_pending(session_id("s" + std::to_string(i)))->session_class].need);
    }
    const std::uint64_t agents = rng_.below(20);
    for (std::uint64_t i = 0; i < agents; ++i) come();
  }

  void change() {
    const std::uint64_t kind = rng_.below(20);
    if (kind == 0) come();
    if (kind == 1) leave();
    if (kind > 1) rate_anew();
  }

  void rate_anew() {
    if (!group().agents.empty()) rate_anew(any_agent());
  }
  void rate_first_anew() {
    if (!group().agents.empty()) rate_anew(group().agents.begin()->second);
  }

  // Each answer against the one of a loop.
  void ask() {
    const std::size_t need = rng_.below(kNeeds);
    const std::vector<AgentIndex> except = some_agents();
    const auto rate = [&](AgentIndex agent) { return ratings_[{need, agent}]; };
    std::vector<AgentIndex> fitting;
    RatingIndex::Rated least;
    for (const auto& [label, agent] : group().agents) {
      if (std::binary_search(except.begin(), except.end(), agent)) continue;
      const std::int64_t rating = rate(agent);
      if (rating == RatingIndex::kUnfit) continue;
      fitting.push_back(agent);
      if (rating < least.rating) least = {agent, rating};
    }
    const RatingIndex::Row& row = index_.row_of(model(), group(), needs_[need], rate);
    const RatingIndex::Rated found = index_.least(row, except);
    ASSERT_EQ(found.agent, least.agent);
    ASSERT_EQ(found.rating, least.rating);
    ASSERT_EQ(index_.count(row, except), fitting.size());
    for (std::size_t n = 0; n < fitting.size(); ++n) ASSERT_EQ(index_.nth(row, except, n), fitting[n]) << n;
    ASSERT_EQ(index_.nth(row, except, fitting.size()), kNoAgent);
  }

 private:
  Model& model() { return t_.cluster.model(); }
  Group& group() { return model().groups[0]; }

  // Agents with ids anywhere between those that are there.
  void come() {
    const std::string id = "a-" + std::to_string(rng_.below(100));
    t_.agent(id, {{"cpu", "1"}});
    index_.changed(model().agent_ids.at(id));
  }
  void leave() {
    if (group().agents.empty()) return;
    const AgentIndex agent = any_agent();
    t_.cluster.remove_agent(model().agents[agent].id);
    index_.changed(agent);
  }
  void rate_anew(AgentIndex agent) {
    for (std::size_t need = 0; need < kNeeds; ++need)
      ratings_[{need, agent}] =
          rng_.chance(1, 3) ? RatingIndex::kUnfit : static_cast<std::int64_t>(rng_.below(5)) - 2;
    index_.changed(agent);
  }
  AgentIndex any_agent() { return group().agents.nth(rng_.below(group().agents.size()))->second; }
  std::vector<AgentIndex> some_agents() {
    std::vector<AgentIndex> some;
    for (const auto& [label, agent] : group().agents)
      if (rng_.chance(1, 6)) some.push_back(agent);
    std::sort(some.begin(), some.end());
    return some;
  }

  Rng rng_;
  TestCluster t_;
  RatingIndex index_;
  std::vector<Need> needs_;
  std::map<std::pair<std::size_t, AgentIndex>, std::int64_t> ratings_;
};

TEST(RatingIndex, AnswersAsALoopOverAllAgentsWould) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    RatedWorld world(seed);
    for (int step = 0; step < 100; ++step) {
      world.change();
      if (step % 3 == 0) world.ask();
      if (::testing::Test::HasFatalFailure()) return;
    }
    for (int round = 0; round < 3; ++round) {  // more changes than are kept: rows that lag are made anew
      for (int step = 0; step < 20; ++step) world.rate_anew();
      for (int step = 0; step < 1'500; ++step) world.rate_first_anew();
      world.ask();
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// What an agent is worth to a need is worked out anew only where it changed.
TEST(RatingIndex, RatesOnlyWhatChanged) {
  TestCluster t;
  for (int i = 0; i < 100; ++i) t.agent("a" + std::to_string(100 + i), {{"cpu", "1"}});
  t.session("s", {{"cpu", "1"}});
  Model& model = t.cluster.model();
  const Need need = model.classes[model.find_pending(session_id("s"))->session_class].need;
  RatingIndex index;
  int rated = 0;
  const auto rate = [&](AgentIndex agent) { return ++rated, static_cast<std::int64_t>(agent); };
  index.row_of(model, model.groups[0], need, rate);
  EXPECT_EQ(rated, 100);
  for (int i = 0; i < 5; ++i) index.changed(7);
  index.changed(9);
  index.row_of(model, model.groups[0], need, rate);
  EXPECT_EQ(rated, 102);
  index.row_of(model, model.groups[0], need, rate);
  EXPECT_EQ(rated, 102);
}

}  // namespace
}  // namespace berth::placement::testing
