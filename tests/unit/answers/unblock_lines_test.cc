// What would let a session start, as the lines a person reads, word for word.
#include <gtest/gtest.h>

#include "controller/answers/unblock.h"
#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

Lines lines_of(TestCluster& t, const std::string& session, const UnblockOptions& options = {},
               const NameSession& name = session_name) {
  return unblock_lines(t.cluster, unblock(t.cluster, session_id(session), options), name);
}

void fill_two_gpus(TestCluster* t) {
  t->agent("a1", {{"cpu", "8"}, {"mem", "8g"}}, {},
           {{"gpu0", {{"cuda.shares", "1"}}, {}}, {"gpu1", {{"cuda.shares", "1"}}, {}}});
  t->session("demo-1", {{"cpu", "1"}, {"cuda.shares", "1"}});
  t->session("demo-2", {{"cpu", "1"}, {"cuda.shares", "0.5"}});
  t->session("demo-3", {{"cpu", "1"}, {"mem", "1g"}, {"cuda.shares", "1"}});
  t->pass();
}

TEST(UnblockLines, NameTheSessionsWhoseEndsWouldDoAndTheAmountThatFits) {
  TestCluster t;
  fill_two_gpus(&t);
  EXPECT_EQ(lines_of(t, "demo-3"), (Lines{
                                       "starts if demo-1 ends",
                                       "starts if demo-2 ends",
                                       "fits with 0.5 cuda.shares less (0.5)",
                                   }));
}

TEST(UnblockLines, DoNotNameSessionsThatTheViewerMayNotSee) {
  TestCluster t;
  fill_two_gpus(&t);
  const NameSession mine = [](const SessionId& id) { return id == session_id("demo-2") ? "demo-2" : ""; };
  const Lines lines = lines_of(t, "demo-3", {}, mine);
  EXPECT_EQ(lines.at(0), "starts if another session ends");
  EXPECT_EQ(lines.at(1), "starts if demo-2 ends");
}

TEST(UnblockLines, OfTheHeadSayWhatFitsAndOfOneBehindItThatTheHeadMayLeave) {
  TestCluster t;
  t.agent("a1", {{"cpu", "2"}});
  t.agent("a2", {{"cpu", "1"}});
  t.agent("a3", {{"cpu", "8"}}, {});
  t.drain("a3");
  t.session("s", {{"cpu", "4"}});
  t.session("next", {{"cpu", "1"}});
  t.pass();
  EXPECT_EQ(lines_of(t, "s"), Lines{"fits with 2 cpu less (2)"});
  EXPECT_EQ(lines_of(t, "next"), Lines{"starts if s leaves the queue"});
}

TEST(UnblockLines, WhereMoreThanThreeWouldHaveToEndSaySo) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}});
  for (const char* holder : {"s1", "s2", "s3", "s4"}) t.session(holder, {{"cpu", "1"}});
  t.session("all", {{"cpu", "4"}});
  t.pass();
  EXPECT_EQ(lines_of(t, "all"), Lines{"the ends of any 3 sessions are not enough"});
}

TEST(UnblockLines, OfALimitSayByHowMuch) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}});
  PendingSpec spec = t.session_spec("s", {{"cpu", "1"}});
  spec.wait_cause = {Code::kLimit, t.slot("cpu")};
  t.wait(spec);
  UnblockOptions options;
  options.limits = {{"cpu limit of project alpha", t.slot("cpu"), 4 * kUnit, kUnit, 4 * kUnit}};
  EXPECT_EQ(lines_of(t, "s", options),
            (Lines{"raise the cpu limit of project alpha by 1", "with that it starts"}));
}

}  // namespace
}  // namespace berth::placement::testing
