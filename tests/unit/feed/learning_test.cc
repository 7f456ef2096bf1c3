// When a leader asks for something to be learned, and what it does with the answer.
#include <gtest/gtest.h>

#include "tests/unit/cell/leader_fixture.h"

namespace berth::controller {
namespace {

class Learning : public LeaderTest {
 protected:
  Learning() { config.learn_after = 3; }

  void given_learning_leader(const std::string& select) {
    given_controller();
    given_leader();
    given_agent();
    define(select);
  }
  void define(const std::string& select) {
    v1::Request request;
    auto* group = request.mutable_define()->add_groups();
    group->set_name("default");
    group->set_order("fifo");
    group->set_head_of_line("strict");
    group->set_select(select);
    ask(request);
    read_all_back();
  }
  // What was to be learned after so many sessions were asked for.
  std::vector<LearnSelection> ask_for(int sessions) {
    std::vector<LearnSelection> asked;
    for (int i = 0; i < sessions; ++i) {
      ask_for_session();
      asked.insert(asked.end(), out.learn.begin(), out.learn.end());
      read_all_back();
      asked.insert(asked.end(), out.learn.begin(), out.learn.end());
    }
    return asked;
  }
  std::vector<v1::SelectionLearned> learned() const {
    std::vector<v1::SelectionLearned> found;
    for (const auto& event : events())
      if (event.has_selection_learned()) found.push_back(event.selection_learned());
    return found;
  }
};

TEST_F(Learning, IsAskedForOnceWhenEnoughSessionsWereAskedForAndRecorded) {
  given_learning_leader("balanced");
  EXPECT_TRUE(ask_for(2).empty());
  const auto asked = ask_for(2);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].group, "default");
  EXPECT_TRUE(asked[0].shape);
  ASSERT_EQ(asked[0].nodes.size(), 1u);
  EXPECT_EQ(asked[0].nodes[0].cpu_milli, 4000);
  ASSERT_EQ(asked[0].mix.size(), 1u);
  EXPECT_EQ(asked[0].mix[0].count, 3);
  when(learn_selection(asked[0]));
  ASSERT_EQ(learned().size(), 1u);
  EXPECT_EQ(learned()[0].shape_size(), 6);
  EXPECT_EQ(learned()[0].classes(0).cpu_milli(), 1000);
  read_all_back();
  ASSERT_NE(controller->projection().state().learned.find("default"), nullptr);
}

TEST_F(Learning, ComesAgainAfterTenTimesAsManyAndAnHour) {
  given_learning_leader("balanced");
  when(learn_selection(ask_for(3).at(0)));
  read_all_back();
  EXPECT_TRUE(ask_for(30).empty());  // not within the hour
  const std::size_t before = out.learn.size();
  pass(kLearnEvery);
  EXPECT_EQ(out.learn.size(), before + 1);
}

TEST_F(Learning, OfFgdIsTheMixAlone) {
  given_learning_leader("fgd");
  const auto asked = ask_for(3);
  ASSERT_EQ(asked.size(), 1u);
  when(learn_selection(asked[0]));
  ASSERT_EQ(learned().size(), 1u);
  EXPECT_EQ(learned()[0].shape_size(), 0);
  EXPECT_EQ(learned()[0].simulations(), 0);
  EXPECT_EQ(learned()[0].classes_size(), 1);
}

TEST_F(Learning, AnAnswerThatNobodyWaitsForIsDropped) {
  given_learning_leader("balanced");
  const auto asked = ask_for(3);
  ASSERT_EQ(asked.size(), 1u);
  define("concentrated");
  when(learn_selection(asked[0]));
  EXPECT_TRUE(learned().empty());
  when(learn_selection(asked[0]));
  EXPECT_TRUE(learned().empty());
}

TEST(LearningIsDue, WithSoManySessionsAndSoMuchTime) {
  v1::ResourceGroupDefined group;
  group.set_select("balanced");
  projections::LearnedRow before;
  before.at = 5 * kHour;
  for (int i = 0; i < 6; ++i) before.learned.add_shape(1);
  const auto due = [&](std::int64_t counted, std::int64_t sessions, const projections::LearnedRow* row,
                       Timestamp now) {
    return learning_is_due(group, {"g", counted, sessions}, row, now, 100);
  };
  EXPECT_FALSE(due(99, 99, nullptr, 0));
  EXPECT_TRUE(due(100, 100, nullptr, 0));
  EXPECT_FALSE(due(9000, 999, &before, 7 * kHour));
  EXPECT_FALSE(due(4000, 1000, &before, 6 * kHour - 1));
  EXPECT_TRUE(due(4000, 1000, &before, 6 * kHour));
  EXPECT_FALSE(due(9000, 2249, &before, 6 * kHour));  // a quarter of what is counted
  EXPECT_TRUE(due(9000, 2250, &before, 6 * kHour));
  before.learned.clear_shape();
  EXPECT_TRUE(due(100, 100, &before, 5 * kHour));  // fgd learned; balanced wants a shape
  group.set_select("fgd");
  EXPECT_FALSE(due(100, 100, &before, 5 * kHour));
}

}  // namespace
}  // namespace berth::controller
