// What a search looks at (candidates.h): the filters, what is compared, and that the best is what a pass
// takes.
#include "controller/placement/pass/candidates.h"

#include <gtest/gtest.h>

#include "tests/unit/placement/support.h"

namespace berth::placement {
namespace {

using testing::TestCluster;

Searched only_search(TestCluster& t, const std::string& session) {
  Model& model = t.cluster.model();
  auto all = searches_of(model, model.find_pending_index(testing::session_id(session)), 8);
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? Searched{} : std::move(all.front());
}

std::string name_of_best(const TestCluster& t, const Searched& search) {
  return search.candidates.remaining.empty()
             ? "none"
             : std::string(t.cluster.agent_name(search.candidates.remaining.front().agent));
}

class CandidatesOf : public ::testing::TestWithParam<Select> {};

TEST_P(CandidatesOf, TheBestIsWhatThePassTakes) {
  TestCluster t;
  GroupPolicy policy;
  policy.select = GetParam();
  t.set_policy(policy);
  for (const char* agent : {"a1", "a2", "a3"})
    t.agent(agent, {{"cpu", agent == std::string("a2") ? "4" : "8"}, {"mem", "16g"}});
  for (int i = 0; i < 6; ++i) {
    const std::string name = "s" + std::to_string(i);
    t.session(name, {{"cpu", "1"}, {"mem", "1g"}});
    const std::string best = name_of_best(t, only_search(t, name));
    EXPECT_EQ(t.pass(), testing::Lines{name + " -> " + best});
  }
}

INSTANTIATE_TEST_SUITE_P(Selections, CandidatesOf,
                         ::testing::Values(Select::kConcentrated, Select::kDispersed, Select::kRoundRobin,
                                           Select::kFgd, Select::kBalanced));

TEST(Candidates, EachFilterSaysWhomItTookOutAndWhatTheyLack) {
  TestCluster t;
  t.agent("a1", {{"cpu", "1"}});
  t.agent("a2", {{"cpu", "8"}});
  t.drain("a2");
  t.agent("a3", {{"cpu", "8"}});
  t.session("s", {{"cpu", "2"}});
  const Candidates found = only_search(t, "s").candidates;
  EXPECT_EQ(found.agents, 3u);
  ASSERT_EQ(found.filters.size(), 2u);
  EXPECT_EQ(found.filters[0].code, Code::kNoAgents);
  EXPECT_EQ(t.cluster.agent_name(found.filters[0].removed.at(0).agent), "a2");
  EXPECT_EQ(found.filters[1].code, Code::kNoCapacity);
  ASSERT_EQ(found.filters[1].removed.at(0).shortages.size(), 1u);
  EXPECT_EQ(found.filters[1].removed[0].shortages[0].missing, kUnit);
  EXPECT_EQ(found.remaining.size(), 1u);
}

TEST(Candidates, CountsTheEquallyGoodAndChangesNothing) {
  TestCluster t;
  for (const char* agent : {"a1", "a2", "a3"}) t.agent(agent, {{"cpu", "8"}});
  PendingSpec gang = t.session_spec("gang", {{"cpu", "6"}});
  gang.kernels[0].count = 3;
  gang.mode = Mode::kMultiNode;
  t.wait(gang);
  Model& model = t.cluster.model();
  const auto searches = searches_of(model, model.find_pending_index(testing::session_id("gang")), 8);
  ASSERT_EQ(searches.size(), 3u);
  EXPECT_EQ(searches[0].candidates.ties, 3u);
  EXPECT_EQ(searches[1].candidates.ties, 2u);
  EXPECT_EQ(searches[2].candidates.ties, 1u);
  t.audit();
  EXPECT_EQ(t.pass(), testing::Lines{"gang -> a1 a2 a3"});
}

}  // namespace
}  // namespace berth::placement
