// The lines a person reads, word for word.
#include "controller/answers/explain_text.h"

#include <gtest/gtest.h>

#include "tests/unit/placement/support.h"

namespace berth::placement::testing {
namespace {

Lines lines_of(TestCluster& t, const std::string& session, const UnblockOptions& options = {},
               const NameSession& name = session_name) {
  Lines lines = explain_lines(t.cluster, why(t.cluster, session_id(session)), name);
  for (std::string& line : unblock_lines(t.cluster, unblock(t.cluster, session_id(session), options), name)) {
    lines.push_back(std::move(line));
  }
  return lines;
}

void fill_two_gpus(TestCluster* t) {
  t->agent("a1", {{"cpu", "8"}, {"mem", "8g"}}, {},
           {{"gpu0", {{"cuda.shares", "1"}}, {}}, {"gpu1", {{"cuda.shares", "1"}}, {}}});
  t->session("demo-1", {{"cpu", "1"}, {"cuda.shares", "1"}});
  t->session("demo-2", {{"cpu", "1"}, {"cuda.shares", "0.5"}});
  t->session("demo-3", {{"cpu", "1"}, {"mem", "1g"}, {"cuda.shares", "1"}});
  t->pass();
}

TEST(ExplainLines, NameTheBestDeviceItsHoldersAndWhatWouldDo) {
  TestCluster t;
  fill_two_gpus(&t);
  EXPECT_EQ(lines_of(t, "demo-3"),
            (Lines{
                "no-capacity cuda.shares",
                "position 1 of 1, 0 before it",
                "cuda.shares: asks 1, the best single device has 0.5 free (a1/gpu0); held by demo-1, demo-2",
                "starts if demo-1 ends",
                "starts if demo-2 ends",
                "fits with 0.5 cuda.shares less (0.5)",
            }));
}

TEST(ExplainLines, SessionsThatTheViewerMayNotSeeAreCountedNotNamed) {
  TestCluster t;
  fill_two_gpus(&t);
  const NameSession mine = [](const SessionId& id) { return id == session_id("demo-2") ? "demo-2" : ""; };
  const Lines lines = lines_of(t, "demo-3", {}, mine);
  EXPECT_TRUE(lines.at(2).ends_with("; held by demo-2 and 1 more")) << lines.at(2);
  EXPECT_EQ(lines.at(3), "starts if another session ends");
}

TEST(ExplainLines, SeveralAgentsAreCountedByTheStageThatStopsIt) {
  TestCluster t;
  t.agent("a1", {{"cpu", "2"}});
  t.agent("a2", {{"cpu", "1"}});
  t.agent("a3", {{"cpu", "8"}}, {});
  t.cluster.set_agent_draining("a3", true);
  t.session("s", {{"cpu", "4"}});
  t.session("next", {{"cpu", "1"}});
  t.pass();
  EXPECT_EQ(lines_of(t, "s"), (Lines{
                                  "no-capacity cpu",
                                  "position 1 of 2, 0 before it",
                                  "cpu: asks 4, a1 has 2 free",
                                  "of 3 agents: 2 no-capacity, 1 no-agents",
                                  "fits with 2 cpu less (2)",
                              }));
  EXPECT_EQ(lines_of(t, "next"), (Lines{
                                     "behind-head: s is before it and waits for room",
                                     "position 2 of 2, 1 before it",
                                     "of 3 agents: 2 would do, 1 no-agents",
                                     "starts if s leaves the queue",
                                 }));
}

TEST(ExplainLines, ALimitSaysByHowMuch) {
  TestCluster t;
  t.agent("a1", {{"cpu", "4"}});
  PendingSpec spec = t.session_spec("s", {{"cpu", "1"}});
  spec.wait_cause = {Code::kLimit, t.slot("cpu")};
  t.wait(spec);
  UnblockOptions options;
  options.limits = {{"project alpha: cpu", t.slot("cpu"), 4 * kUnit, 0, kUnit, 4 * kUnit}};
  EXPECT_EQ(lines_of(t, "s", options), (Lines{
                                           "limit cpu",
                                           "position 1 of 1, 0 before it",
                                           "project alpha: cpu +1",
                                           "and then it starts",
                                       }));
}

}  // namespace
}  // namespace berth::placement::testing
