// berth session run --dry-run: what is sent, what people read, what scripts get.
#include <gtest/gtest.h>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

constexpr const char* kWaits = R"({"dry_run": true, "starting_now": 1,
  "sessions": [{"name": "n-1", "starts_now": true, "preempts": [], "preempts_count": 0,
                "kernels": [{"kernel": "main1", "agent": "a1",
                             "devices": [{"device": "gpu0", "slot": "cuda.shares", "amount": "0.5"}]}]},
               {"name": "n-2", "starts_now": false, "preempts": ["old"], "preempts_count": 2, "kernels": []},
               {"name": "n-3", "starts_now": false, "preempts": [], "preempts_count": 0, "kernels": []},
               {"name": "n-4", "starts_now": null, "preempts": [], "preempts_count": 0, "kernels": []}],
  "waiting": {"name": "n-2", "status": "PENDING", "code": "no-capacity", "slot": "cpu", "text": "", "hint": "",
              "lacking": [{"slot": "cpu", "asked": "4", "best_free": "1", "where": "a1"}], "holders": [], "limits": [], "unmet": [],
              "blocked_by": null, "queue_position": 2, "unblock": {"lines": ["it starts if old ends"], "ends": [], "leaves": []}}})";

Ran dry(FakeWorld& w, std::vector<std::string> more, const char* answer = kWaits) {
  w.server.answer = [answer](const HttpRequest&) { return Result<HttpReply>(json_reply(answer)); };
  std::vector<std::string> words{"session", "run", "--name", "n", "--cpu", "4", "--count", "4", "--dry-run"};
  words.insert(words.end(), more.begin(), more.end());
  return w.run(words);
}

TEST(DryRun, TellsOfEachSessionAndWhyTheFirstWaits) {
  FakeWorld w;
  const auto ran = dry(w, {});
  EXPECT_EQ(ran.exit, kPending);
  ASSERT_EQ(w.server.requests.size(), 1u);
  EXPECT_EQ(w.server.requests[0].method + " " + w.server.requests[0].target,
            "POST /v1/sessions?dry_run=true");
  EXPECT_EQ(ran.out,
            "n-1 would start now: main1 on a1 (gpu0: cuda.shares 0.5)\n"
            "n-2 would wait for 2 sessions to make room: old\n"
            "n-3 would wait\n"
            "n-4 may start or wait: the cell is too large to try its order\n"
            "n-2: no-capacity cpu\n"
            "  cpu: asked 4, the best single place has 1 free (a1)\n"
            "  place in the queue: 2\n"
            "  it starts if old ends\n");
}

TEST(DryRun, IsZeroOnlyWhenAllWouldStart) {
  FakeWorld w;
  const char* all = R"({"sessions": [{"name": "n", "starts_now": true, "kernels": []}], "waiting": null})";
  EXPECT_EQ(dry(w, {}, all).exit, kOk);
  EXPECT_EQ(dry(w, {"-o", "json"}, all).exit, kOk);
  EXPECT_EQ(boost::json::parse(dry(w, {"-o", "json"}).out).at("starting_now").as_int64(), 1);
  EXPECT_EQ(dry(w, {"-o", "name"}).out, "n-1\nn-2\nn-3\nn-4\n");
}

TEST(DryRun, TellsWhatTheAnswerLeavesOut) {
  FakeWorld w;
  const char* custom = R"({"sessions": [{"name": "n", "starts_now": true, "kernels": []}], "waiting": null,
                           "note": "as if it concentrated"})";
  EXPECT_NE(dry(w, {}, custom).out.find("note: as if it concentrated\n"), std::string::npos);
}

TEST(DryRun, WarnsOnStderrOfWhatCanNeverStart) {
  FakeWorld w;
  const char* never = R"({"sessions": [{"name": "n", "starts_now": false, "kernels": []}], "waiting": null,
                          "warnings": ["no agent can ever hold 64 cpu"]})";
  const auto ran = dry(w, {}, never);
  EXPECT_NE(ran.err.find("warning: no agent can ever hold 64 cpu\n"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.out.find("warning"), std::string::npos) << ran.out;
}

TEST(SessionRun, WarnsOnStderrOfWhatCanNeverStart) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(json_reply(R"({"sessions": [{"id": "x", "name": "n", "status": "PENDING"}],
                                            "position": 3, "warnings": ["no agent can ever hold 64 cpu"]})"));
  };
  const auto ran = w.run({"session", "run", "--name", "n", "--cpu", "64"});
  EXPECT_EQ(ran.exit, kOk);
  EXPECT_NE(ran.err.find("warning: no agent can ever hold 64 cpu\n"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.out.find("warning"), std::string::npos) << ran.out;
}

TEST(DryRun, WaitsForNothing) {
  FakeWorld w;
  for (const char* word : {"--wait", "--detach", "--timeout=5s"})
    EXPECT_EQ(dry(w, {word}).exit, kUsage) << word;
  EXPECT_TRUE(w.server.requests.empty());
}

TEST(DryRun, ARefusalExitsAsTheRealOne) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) { return Result<HttpReply>(problem(409, "name-in-use")); };
  EXPECT_EQ(w.run({"run", "--name", "n", "--cpu", "1", "--dry-run"}).exit, kConflict);
}

}  // namespace
}  // namespace berth::cli
