// What a group's past says to the scheduler: usage (order fair-share) and what was asked for (selections fgd
// and balanced), from the fold through the mirror to a pass; and that a new leader knows the same.
#include <gtest/gtest.h>

#include "controller/answers/fair_share_view.h"
#include "controller/feed/cluster_feed.h"
#include "controller/feed/pass_decisions.h"
#include "controller/placement/model/model.h"
#include "controller/scenario/export.h"
#include "controller/scenario/scenario.h"
#include "tests/support/given.h"

namespace berth::controller {
namespace {

using namespace berth::testing;  // NOLINT(google-build-using-namespace)

constexpr Timestamp kMorning = 19'676 * kDay + 8 * kHour;

v1::Event group_with(const std::string& order, const std::string& select) {
  v1::Event e = group_defined("default");
  e.mutable_resource_group_defined()->set_order(order);
  e.mutable_resource_group_defined()->set_select(select);
  return e;
}

class Past : public ::testing::Test {
 protected:
  explicit Past(const v1::Event& group = group_with("fair-share", "concentrated"))
      : given_(definitions() + Events{group, agent_enrolled("a1"),
                                      agent_joined("a1", 2, 64 * kGiga, {gpu("gpu0"), gpu("gpu1")})}) {
    feed_.rebuild(given_.state(), now());
    given_.projection().set_listener(&feed_);
  }

 public:
  ~Past() override { given_.projection().set_listener(nullptr); }

 protected:
  Timestamp now() { return given_.journal().time(); }
  void at(Timestamp time) { given_.after(time - now()); }
  void ask(const std::string& session, const std::string& user, Amount cpu = 1) {
    given_.and_given({session_requested(session, Spec().cpu(cpu), user)});
  }
  void start(const std::string& session) { given_.and_given({session_scheduled(session, "a1")}); }
  void end(const std::string& session) { given_.and_given({kernel_terminated(kernel_name(session))}); }
  // Who waits, in the order of the next pass.
  std::string queue() { return queue_of(feed_); }
  std::string queue_of(ClusterFeed& feed) {
    feed.refresh(given_.state(), now());
    std::string text;
    for (const SessionId& id : feed.cluster().queue("default"))
      text += (text.empty() ? "" : " ") + given_.state().sessions.find(id)->name;
    return text;
  }
  // As a controller has it that leads from now on.
  std::string queue_of_next_leader() {
    ClusterFeed next;
    next.rebuild(given_.state(), now());
    return queue_of(next);
  }
  // Who starts in a scenario file of the state, in order.
  std::string placed_by_the_file() {
    placement::ExportOptions options;
    options.now = now();
    options.past_use = past_use(given_.state(), "", now());
    const auto file = placement::export_scenario(given_.state(), options);
    const auto ran = placement::run_scenario(boost::json::serialize(file.value().scenario), 1);
    if (!ran.ok()) return to_string(ran.error());
    std::string text;
    const boost::json::value result = boost::json::parse(*ran);
    for (const auto& placed : result.at("passes").at(0).at("placed").as_array())
      text += (text.empty() ? "" : " ") + std::string(placed.at("session").as_string());
    return text;
  }
  const placement::Group& group_of(ClusterFeed& feed) { return feed.cluster().model().groups.front(); }

  Given given_;
  ClusterFeed feed_;
};

TEST_F(Past, WhoUsedMoreComesLater) {
  at(kMorning);
  ask("a0", "alice");
  start("a0");
  at(kMorning + kHour);
  end("a0");
  ask("a1", "alice");
  ask("b1", "bob");
  EXPECT_EQ(queue(), "b1 a1");
  EXPECT_EQ(queue_of_next_leader(), "b1 a1");
  EXPECT_EQ(placed_by_the_file(), "b1 a1");
}

TEST_F(Past, WhoIsNewIsNotBehindWhoUsedSomething) {
  at(kMorning);
  ask("a1", "alice");
  EXPECT_EQ(queue(), "a1");
  ask("b1", "bob");
  EXPECT_EQ(queue(), "a1 b1");  // equal: by arrival
  EXPECT_EQ(queue_of_next_leader(), "a1 b1");
  EXPECT_EQ(placed_by_the_file(), "a1 b1");
}

TEST_F(Past, WhatLivesCountsFromTheNextBoundaryOn) {
  at(kMorning + 30 * kSecond);
  ask("a0", "alice");
  start("a0");
  ask("a1", "alice");
  ask("b1", "bob");
  at(kMorning + 299 * kSecond);
  EXPECT_EQ(queue(), "a1 b1");
  at(kMorning + 300 * kSecond);
  EXPECT_EQ(queue(), "b1 a1");
  EXPECT_EQ(queue_of_next_leader(), "b1 a1");
}

TEST_F(Past, AnEndMovesWhatLivedIntoThePastAndCountsItOnce) {
  at(kMorning);
  ask("a0", "alice");
  start("a0");
  at(kMorning + kHour + kSecond);
  EXPECT_EQ(queue(), "");
  const auto before = fair_share_lines(given_.state(), "default", now());
  at(kMorning + kHour + 2 * kSecond);
  end("a0");
  ask("a1", "alice");
  ask("b1", "bob");
  EXPECT_EQ(queue(), "b1 a1");
  ClusterFeed next;
  next.rebuild(given_.state(), now());
  next.refresh(given_.state(), now());
  EXPECT_EQ(group_of(feed_).factors, group_of(next).factors);
  const auto after = fair_share_lines(given_.state(), "default", now());
  const auto cpu_of = [](const std::vector<FairShareLine>& lines) {
    for (const auto& line : lines)
      if (line.id == "alice") return static_cast<std::int64_t>(line.used.front().second / kUnit);
    return std::int64_t{-1};
  };
  EXPECT_EQ(cpu_of(before), 3599);  // placed a millisecond after the boundary
  EXPECT_EQ(cpu_of(after), 3601);   // all of it, once
}

TEST_F(Past, UsageFadesAndIsForgottenAfterTheLookback) {
  v1::Event group = group_with("fair-share", "concentrated");
  auto* share = group.mutable_resource_group_defined()->mutable_fair_share();
  share->set_half_life_days(1);
  share->set_lookback_days(3);
  given_.and_given({group});
  at(kMorning);
  ask("a0", "alice");
  start("a0");
  at(kMorning + kHour);
  end("a0");  // 3600 cpu seconds on the first day
  at(kMorning + kDay);
  ask("b0", "bob");
  start("b0");
  at(kMorning + kDay + 2100 * kSecond);
  end("b0");  // 2100 on the second: more than half of them
  ask("a1", "alice");
  ask("b1", "bob");
  EXPECT_EQ(queue(), "a1 b1");
  EXPECT_EQ(placed_by_the_file(), "a1 b1");
  EXPECT_EQ(queue_of_next_leader(), "a1 b1");
  at(kMorning + 3 * kDay);
  ask("b2", "bob");
  EXPECT_EQ(queue(), "a1 b1 b2");  // nothing of the first day is left
  EXPECT_EQ(fair_share_lines(given_.state(), "default", now())[2].factor, placement::kOneFactor);
}

TEST_F(Past, AWeightMakesUpForUsage) {
  at(kMorning);
  ask("a0", "alice");
  start("a0");
  at(kMorning + kHour);
  end("a0");
  at(kMorning + 2 * kHour);
  ask("b0", "bob");
  start("b0");
  at(kMorning + 2 * kHour + 40 * kMinute);
  end("b0");
  ask("a1", "alice");
  ask("b1", "bob");
  EXPECT_EQ(queue(), "b1 a1");
  v1::Event group = group_with("fair-share", "concentrated");
  auto* weight = group.mutable_resource_group_defined()->mutable_fair_share()->add_weights();
  weight->set_scope(v1::SCOPE_KIND_USER);
  weight->set_id("alice");
  weight->set_weight(2 * kUnit);
  given_.and_given({group});
  EXPECT_EQ(queue(), "a1 b1");
  EXPECT_EQ(queue_of_next_leader(), "a1 b1");
}

TEST_F(Past, AGroupThatBecomesFairReadsWhoWaitsAndWhatWasSummedUp) {
  v1::Event fifo = group_with("fifo", "concentrated");
  fifo.mutable_resource_group_defined()->mutable_fair_share()->set_half_life_days(7);
  given_.and_given({fifo});
  at(kMorning);
  ask("a0", "alice");
  start("a0");
  at(kMorning + kHour);
  end("a0");
  ask("a1", "alice");
  ask("b1", "bob");
  EXPECT_EQ(queue(), "a1 b1");
  given_.and_given({group_with("fair-share", "concentrated")});
  EXPECT_EQ(queue(), "b1 a1");
}

TEST_F(Past, TheViewRanksAndSaysWhatCounts) {
  at(kMorning);
  ask("a0", "alice");
  start("a0");
  at(kMorning + kHour);
  end("a0");
  ask("b1", "bob");
  const auto lines = fair_share_lines(given_.state(), "default", now());
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(word(lines[0].scope) + " " + lines[0].id, "domain default");
  EXPECT_EQ(word(lines[1].scope) + " " + lines[1].id, "project default/default");
  EXPECT_EQ(lines[2].id + " " + std::to_string(lines[2].rank) + " " + factor_text(lines[2].factor),
            "bob 1 1");
  EXPECT_EQ(lines[3].id + " " + std::to_string(lines[3].rank), "alice 2");
  EXPECT_EQ(lines[3].used.front().first, "cpu");
  EXPECT_LT(lines[3].factor, placement::kOneFactor);
  EXPECT_TRUE(fair_share_lines(given_.state(), "nowhere", now()).empty());
}

class PastRequests : public Past {
 protected:
  PastRequests() : Past(group_with("fifo", "balanced")) {}
  v1::Event learned(std::int64_t full) {
    v1::Event e;
    e.mutable_selection_learned()->set_group("default");
    for (const std::int64_t number :
         {std::int64_t{150}, std::int64_t{50}, std::int64_t{25}, std::int64_t{75}, std::int64_t{70}, full})
      e.mutable_selection_learned()->add_shape(number);
    auto* one = e.mutable_selection_learned()->add_classes();
    one->set_cpu_milli(1000);
    one->set_gpus(1);
    one->set_gpu_milli(500);
    one->set_count(9);
    return e;
  }
};

TEST_F(PastRequests, TheMixSoFarCountsUntilSomethingIsLearned) {
  ask("s1", "alice");
  ask("s2", "alice", 2);
  ask("s3", "alice", 2);
  feed_.refresh(given_.state(), now());
  ASSERT_EQ(group_of(feed_).policy.mix.size(), 2u);
  EXPECT_EQ(group_of(feed_).policy.mix[0].count, 2);
  EXPECT_EQ(group_of(feed_).policy.shape, placement::fragmentation::Shape{});
  ClusterFeed next;
  next.rebuild(given_.state(), now());
  next.refresh(given_.state(), now());
  EXPECT_EQ(group_of(feed_).policy, group_of(next).policy);
}

TEST_F(PastRequests, WhatIsLearnedIsUsedAndStaysUntilMoreIs) {
  ask("s1", "alice");
  given_.and_given({learned(40)});
  ask("s2", "alice", 2);
  feed_.refresh(given_.state(), now());
  EXPECT_EQ(group_of(feed_).policy.shape.full, 40);
  EXPECT_EQ(group_of(feed_).policy.shape.rho_percent, 150);
  ASSERT_EQ(group_of(feed_).policy.mix.size(), 1u);
  EXPECT_EQ(group_of(feed_).policy.mix[0].count, 9);
  ClusterFeed next;
  next.rebuild(given_.state(), now());
  next.refresh(given_.state(), now());
  EXPECT_EQ(group_of(feed_).policy, group_of(next).policy);
  given_.and_given({group_with("lifo", "balanced")});  // other settings leave it
  EXPECT_EQ(group_of(feed_).policy.shape.full, 40);
  given_.and_given({learned(60)});
  EXPECT_EQ(group_of(feed_).policy.shape.full, 60);
}

}  // namespace
}  // namespace berth::controller
