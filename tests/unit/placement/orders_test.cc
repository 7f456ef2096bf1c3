// Orders that change while they are walked (drf, fair-share), and those with a reservation (backfill).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "controller/placement/order/fair_share.h"
#include "controller/placement/pass/explain.h"
#include "events/base/random.h"
#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

constexpr std::int32_t kToday = 20'454;

Lines placements(const Lines& lines) {
  Lines result;
  for (const std::string& line : lines) {
    if (line.find(" ->") != std::string::npos) result.push_back(line);
  }
  return result;
}

// Two clusters that are told the same: one is walked session by session, the other by classes and ranks, with
// small budgets.
class Twins {
 public:
  Twins(std::uint64_t seed, Order order) : rng_(seed) {
    GroupPolicy policy;
    policy.order = order;
    policy.head_of_line = rng_.chance(1, 2) ? HeadOfLine::kGreedy : HeadOfLine::kStrict;
    if (rng_.chance(1, 3)) policy.select = Select::kRoundRobin;
    for (TestCluster* cluster : both_) cluster->set_policy(policy);
    for (std::uint64_t i = 2 + rng_.below(4); i > 0; --i) join("a" + std::to_string(i));
  }

  void step() {
    now_ += kMinute;
    for (std::uint64_t i = rng_.below(10); i > 0; --i) ask();
    for (std::uint64_t i = rng_.below(5); i > 0; --i) end();
    if (rng_.chance(1, 6)) join("a" + std::to_string(1 + rng_.below(6)));
    if (rng_.chance(1, 4)) use();
    if (rng_.chance(1, 3)) hold();
    expect_positions();
    const Lines expected = placements(one_by_one_.pass({1'000'000, false, true, now_}));
    const auto budget = static_cast<std::uint32_t>(1 + rng_.below(4));
    EXPECT_EQ(placements(by_class_.pass({rng_.chance(1, 2) ? budget : 1'000, false, false, now_})), expected);
    for (const std::string& line : expected) live_.insert(line.substr(0, line.find(' ')));
  }

 private:
  std::string one_of(std::initializer_list<const char*> values) {
    return *(values.begin() + rng_.below(values.size()));
  }
  void join(const std::string& id) {
    const std::string cpu = one_of({"4", "8"});
    const bool gpu = rng_.chance(1, 2);
    for (TestCluster* cluster : both_) {
      std::vector<DeviceText> devices;
      if (gpu) devices = {{"gpu0", {{"cuda.shares", "1"}}, {}}, {"gpu1", {{"cuda.shares", "1"}}, {}}};
      cluster->agent(id, {{"cpu", cpu}, {"mem", "16g"}}, {}, devices);
    }
  }
  void ask() {
    Amounts slots{{"cpu", one_of({"1", "2", "4"})}};
    if (rng_.chance(1, 2)) slots["cuda.shares"] = one_of({"0.3", "0.5", "1"});
    PendingSpec spec =
        one_by_one_.session_spec("s" + std::to_string(++count_), slots, rng_.chance(1, 5) ? 20 : 10);
    spec.domain = one_of({"d1", "d2"});
    spec.project = one_of({"p1", "p2"});
    spec.user = one_of({"u1", "u2", "u3"});
    if (rng_.chance(1, 2)) spec.timeout_s = static_cast<std::uint32_t>(60 * (1 + rng_.below(6)));
    if (rng_.chance(1, 4)) spec.mode = Mode::kMultiNode;
    if (rng_.chance(1, 4)) spec.kernels[0].count = 2;
    if (rng_.chance(1, 10)) spec.kernels[0].arch = "riscv64";
    for (TestCluster* cluster : both_) cluster->wait(spec);
  }
  // Or not any more.
  void hold() {
    const std::vector<SessionId> queue = by_class_.cluster.queue("default");
    if (queue.empty()) return;
    const SessionId id = queue[rng_.below(queue.size())];
    const Reason reason{rng_.chance(1, 2) ? Code::kLimit : Code::kNone, kNoSlot};
    for (TestCluster* cluster : both_) cluster->cluster.set_wait_cause(id, reason);
  }
  void expect_positions() {
    std::size_t position = 0;
    for (const SessionId& id : by_class_.cluster.queue("default"))
      EXPECT_EQ(queue_position(by_class_.cluster, id), ++position) << session_name(id);
  }
  void end() {
    if (live_.empty()) return;
    const std::string name = *std::next(live_.begin(), static_cast<std::int64_t>(rng_.below(live_.size())));
    live_.erase(name);
    for (TestCluster* cluster : both_) cluster->end(name);
  }
  void use() {
    std::vector<FairShareRow> rows;
    for (const char* id : {"d1", "p1", "u1", "u2"}) {
      FairShareRow row;
      row.id = id;
      row.scope = *id == 'd' ? ShareScope::kDomain : *id == 'p' ? ShareScope::kProject : ShareScope::kUser;
      row.usage[kToday - static_cast<std::int32_t>(rng_.below(9))][0] =
          SlotSeconds{rng_.below(1'000'000)} * kUnit;
      rows.push_back(row);
    }
    for (TestCluster* cluster : both_) cluster->cluster.set_fair_share("default", rows, kToday);
  }

  Rng rng_;
  TestCluster one_by_one_, by_class_;
  const std::vector<TestCluster*> both_{&one_by_one_, &by_class_};
  std::set<std::string> live_;
  int count_ = 0;
  Timestamp now_ = 0;
};

TEST(Orders, ByRankAndClassPlaceTheSameAsSessionBySession) {
  for (const Order order : {Order::kDrf, Order::kFairShare, Order::kBackfill, Order::kFifo}) {
    for (std::uint64_t seed = 1; seed <= 40 && !HasFailure(); ++seed) {
      SCOPED_TRACE("order " + std::to_string(static_cast<int>(order)) + ", seed " + std::to_string(seed));
      Twins twins(seed, order);
      for (int i = 0; i < 10; ++i) twins.step();
    }
  }
}

// Classes that differ in their timeout alone share what refuses them; when that changes, all of them are
// told.
TEST(Orders, WhatRefusesAClassIsToldToThoseOfOtherTimeoutsToo) {
  TestCluster t;
  GroupPolicy policy;
  policy.order = Order::kBackfill;
  t.set_policy(policy);
  t.agent("a1", {{"cpu", "4"}, {"mem", "8g"}}, {{"cpu", "2"}});
  for (const char* name : {"s1", "s2", "s3", "s4"}) {
    PendingSpec spec = t.session_spec(name, {{"cpu", "4"}});
    spec.timeout_s = name[1] <= '2' ? 60 : 120;
    t.wait(spec);
  }
  EXPECT_EQ(t.pass(), (Lines{"s1: no-capacity cpu", "s3: no-capacity cpu", "s2: no-capacity cpu",
                             "s4: no-capacity cpu"}));
  t.drain("a1");
  t.session("s5", {{"cpu", "1"}});  // something new, or there is no pass
  Lines told = t.pass();
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told,
            (Lines{"s1: no-agents", "s2: no-agents", "s3: no-agents", "s4: no-agents", "s5: no-agents"}));
}

// Time passes, everybody ends when they declared to; when does "head" start?
class Story {
 public:
  explicit Story(bool others) : others_(others) {
    GroupPolicy policy;
    policy.order = Order::kBackfill;
    cluster_.set_policy(policy);
  }
  Timestamp head_starts(std::uint64_t seed) {
    fill(seed);
    for (Timestamp now = 0;;) {
      for (const std::string& line : placements(cluster_.pass({1'000, false, true, now}))) {
        const std::string name = line.substr(0, line.find(' '));
        if (name == "head") return now;
        if (timeouts_[name] > 0) ends_.insert({now + timeouts_[name] * kSecond, name});
      }
      if (ends_.empty()) return kNeverEnds;
      now = ends_.begin()->first;
      while (!ends_.empty() && ends_.begin()->first == now) {
        cluster_.end(ends_.begin()->second);
        ends_.erase(ends_.begin());
      }
    }
  }

 private:
  void fill(std::uint64_t seed) {
    Rng rng(seed);
    const auto text = [&](std::initializer_list<const char*> values) {
      return std::string(*(values.begin() + rng.below(values.size())));
    };
    for (std::uint64_t i = 1 + rng.below(3); i > 0; --i) {
      cluster_.agent("a" + std::to_string(i), {{"cpu", "8"}, {"mem", "16g"}}, {},
                     {{"gpu0", {{"cuda.shares", "1"}}, {}}, {"gpu1", {{"cuda.shares", "1"}}, {}}});
    }
    const std::uint64_t before = 2 + rng.below(8);
    const std::uint64_t all = before + 1 + rng.below(12);
    for (std::uint64_t i = 0; i < all; ++i) {
      const bool is_head = i == before;
      Amounts slots{{"cpu", is_head ? "6" : text({"1", "2", "3"})},
                    {"cuda.shares", text({"0.2", "0.4", "0.5", "0.8"})}};
      PendingSpec spec = cluster_.session_spec(is_head ? "head" : "s" + std::to_string(i), slots);
      if (is_head)
        spec.kernels[0].slots = cluster_.amounts({{"cpu", "3"}, {"cuda.shares", text({"0.6", "0.8", "1"})}});
      if (is_head) spec.kernels[0].count = static_cast<std::uint32_t>(1 + rng.below(2));
      if (is_head && rng.chance(1, 2)) spec.mode = Mode::kMultiNode;
      spec.priority = i < before ? 30 : is_head ? 20 : 10;  // those before it start first, in both stories
      const GroupRule rule = rng.chance(1, 2) ? GroupRule::kSpread : GroupRule::kPack;
      if (i >= before && rng.chance(1, 3)) spec.session_group = {"g", rule, rng.chance(1, 2)};
      spec.timeout_s = rng.chance(1, 8) ? 0 : static_cast<std::uint32_t>(10 * (1 + rng.below(30)));
      timeouts_[session_name(spec.id)] = spec.timeout_s;
      if (is_head) begin();
      if (i <= before || others_) cluster_.wait(spec);
    }
  }
  // Those before the head run, or are gone: only the first that waits has a reservation.
  void begin() {
    for (const std::string& line : cluster_.pass({1'000, false, true, 0})) {
      const std::string name = line.substr(0, line.find_first_of(" :"));
      if (line.find(" ->") == std::string::npos) {
        cluster_.cluster.remove_pending(session_id(name));
      } else if (timeouts_[name] > 0) {
        ends_.insert({timeouts_[name] * kSecond, name});
      }
    }
  }

  bool others_;
  TestCluster cluster_;
  std::map<std::string, std::int64_t> timeouts_;
  std::set<std::pair<Timestamp, std::string>> ends_;
};

TEST(Backfill, TheHeadNeverStartsLaterThanWithoutTheOthers) {
  int waited = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const Timestamp alone = Story(false).head_starts(seed);
    const Timestamp with_others = Story(true).head_starts(seed);
    waited += alone > 0 && alone != kNeverEnds;
    ASSERT_LE(with_others, alone) << "seed " << seed;
  }
  EXPECT_GT(waited, 30) << "the stories are about heads that wait";
}

TEST(Backfill, SaysWhenAndWhereTheHeadStarts) {
  TestCluster t;
  t.policy.order = Order::kBackfill;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "4"}});
  PendingSpec live = t.session_spec("live", {{"cpu", "3"}});
  live.timeout_s = 60;
  t.wait(live);
  t.session("head", {{"cpu", "4"}});
  t.pass({1'000, false, false, kHour});
  const auto place = t.cluster.head_reservation("default");
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(session_name(place->session), "head");
  EXPECT_EQ(place->at, kHour + kMinute);
  EXPECT_FALSE(t.cluster.needs_pass("default"));
  t.cluster.set_declared_end(live.id, 2 * kHour);
  EXPECT_TRUE(t.cluster.needs_pass("default")) << "there is more time before the head";
  t.session("late", {{"cpu", "1"}});
  t.pass({1'000, false, false, kHour});
  EXPECT_EQ(t.cluster.head_reservation("default")->at, 2 * kHour);
}

TEST(Backfill, WhoHasEndedByThenIsNoMemberOfASessionGroup) {  // tests/BEHAVIOURS.md 3.5
  TestCluster t;
  t.policy.order = Order::kBackfill;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "4"}});
  t.agent("a2", {{"cpu", "4"}});
  PendingSpec member = t.session_spec("member", {{"cpu", "1"}});
  member.designated = {{"a1"}, true};
  member.session_group = {"g", GroupRule::kSpread, true};
  member.timeout_s = 60;
  PendingSpec other = t.session_spec("other", {{"cpu", "4"}});
  other.timeout_s = 600;
  PendingSpec head = t.session_spec("head", {{"cpu", "4"}});
  head.session_group = member.session_group;
  for (const PendingSpec& spec : {member, other, head}) t.wait(spec);
  t.pass();
  EXPECT_EQ(t.cluster.head_reservation("default")->at, kMinute);
}

TEST(Backfill, NobodyJoinsAGroupThatTheHeadIsStrictAbout) {
  TestCluster t;
  t.policy.order = Order::kBackfill;
  t.set_policy(t.policy);
  for (const char* agent : {"a1", "a2"}) t.agent(agent, {{"cpu", "4"}});
  for (const char* name : {"soon", "later"}) {
    PendingSpec live = t.session_spec(name, {{"cpu", "3"}});
    live.timeout_s = name == std::string("soon") ? 60 : 600;
    t.wait(live);
  }
  PendingSpec head = t.session_spec("head", {{"cpu", "4"}});
  head.session_group = {"g", GroupRule::kPack, true};
  PendingSpec joins =
      t.session_spec("joins", {{"cpu", "1"}});  // beside it on a2, but then the head could go nowhere else
  joins.session_group = {"g", GroupRule::kPack, false};
  for (const PendingSpec& spec : {head, joins}) t.wait(spec);
  t.session("beside", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), (Lines{"soon -> a1", "later -> a2", "head: no-capacity cpu", "joins: behind-head",
                             "beside -> a2"}));
}

TEST(Backfill, AHeldPlaceMovesTheReservationOfTheHead) {  // tests/BEHAVIOURS.md section 4, PR8
  TestCluster t;
  t.policy.order = Order::kBackfill;
  t.policy.preemption.enabled = true;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "4"}});
  PendingSpec low = t.session_spec("low", {{"cpu", "4"}});
  low.timeout_s = 60;
  t.wait(low);
  t.pass();
  t.session("head", {{"cpu", "4"}});
  t.pass();
  EXPECT_EQ(t.cluster.head_reservation("default")->at, kMinute);
  PendingSpec high = t.session_spec("high", {{"cpu", "2"}});
  high.job_priority = 1;
  t.wait(high);
  t.pass();
  EXPECT_TRUE(t.cluster.is_reserved(high.id));
  EXPECT_FALSE(t.cluster.head_reservation("default").has_value()) << "what is held for high never ends";
}

TEST(RoundRobin, WhoHadAPlaceHeldTakesATurnWhenItStarts) {  // tests/BEHAVIOURS.md 3.2: one turn a placement
  TestCluster t;
  t.policy.select = Select::kRoundRobin;
  t.policy.preemption.enabled = true;
  t.set_policy(t.policy);
  t.agent("a1", {{"cpu", "2"}});
  t.session("low", {{"cpu", "2"}});
  t.pass();
  PendingSpec high = t.session_spec("high", {{"cpu", "2"}});
  high.job_priority = 1;
  t.wait(high);
  t.pass();
  EXPECT_EQ(t.cluster.round_robin_index("default"), 1u);
  t.end("low");
  EXPECT_EQ(t.pass(), Lines{"high -> a1"});
  EXPECT_EQ(t.cluster.round_robin_index("default"), 2u);
}

TEST(RoundRobin, TellsTheIndexThatIsToBeRecorded) {
  struct Turns : TestCluster {
    void turned(std::uint64_t index) override { lines.push_back("turn " + std::to_string(index)); }
  } t;
  t.policy.select = Select::kRoundRobin;
  t.set_policy(t.policy);
  t.cluster.set_round_robin_index("default", 5);
  t.agent("a1", {{"cpu", "4"}});
  t.agent("a2", {{"cpu", "4"}});
  t.session("s1", {{"cpu", "1"}});
  EXPECT_EQ(t.pass(), (Lines{"s1 -> a2", "turn 6"}));
  EXPECT_EQ(t.cluster.round_robin_index("default"), 6u);
}

}  // namespace
}  // namespace berth::placement::testing
