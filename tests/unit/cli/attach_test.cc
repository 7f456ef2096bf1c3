// `berth session run` that prints what the session writes.
#include <gtest/gtest.h>

#include "ops/cli/output/views.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

json::object started(json::object s, int attempt) {
  s["kernels"] = json::array{
      {{"name", "main1"}, {"role", "main"}, {"attempt", attempt}, {"started_at", "2025-12-31T23:59:00Z"}}};
  return s;
}

json::object ended(json::object s, const char* how, int code) {
  s["status"] = "TERMINATED", s["exit_code"] = code;
  auto& kernel = s["kernels"].as_array().front().as_object();
  kernel["end"] = how, kernel["exit_code"] = code;
  return s;
}

HttpReply log_reply(const std::string& bytes, bool end) {
  return {200,
          {{"content-type", "application/octet-stream"},
           {"x-berth-log-next", std::to_string(bytes.size())},
           {"x-berth-log-end", end ? "true" : "false"}},
          bytes};
}

// A server whose one session goes through `states`, one a question; its log is `log`.
struct OneSession {
  std::deque<json::object> states;
  HttpReply log = log_reply("42\n", true);
  int logs = 0;

  Result<HttpReply> operator()(const HttpRequest& request) {
    if (request.method == "POST")
      return json_reply(json::serialize(
          json::object{{"sessions", json::array{session("job", "PENDING")}}, {"position", 17}}));
    if (request.target.find("/logs") != std::string::npos) return ++logs, log;
    const json::object state = states.front();
    if (states.size() > 1) states.pop_front();
    return json_reply(json::serialize(state));
  }
};

TEST(Attach, PrintsWhatACommandWritesAndExitsWithItsCode) {
  FakeWorld w;
  const auto running = started(session("job", "RUNNING"), 1);
  OneSession server{{session("job", "PENDING"), running, running, ended(running, "EXITED", 3)}};
  w.server.answer = std::ref(server);
  const auto ran = w.run({"session", "run", "--cpu", "1", "--wait", "--", "python3", "-c", "print(6*7)"});
  EXPECT_EQ(ran.exit, 3) << ran.err;
  EXPECT_EQ(ran.out, "42\n");
  EXPECT_NE(ran.err.find("job exited 3\n"), std::string::npos) << ran.err;
}

TEST(Attach, PrintsTheOutputOfASessionThatEndedBeforeTheFirstLook) {
  FakeWorld w;
  OneSession server{{ended(started(session("job", "RUNNING"), 1), "EXITED", 0)}};
  w.server.answer = std::ref(server);
  const auto ran = w.run({"run", "--type", "batch", "--cpu", "1", "--", "x"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out, "42\n");
}

TEST(Attach, PrintsEachAttemptOnceFromItsBeginning) {
  FakeWorld w;
  const auto first = started(session("job", "RUNNING"), 1), second = started(session("job", "RUNNING"), 2);
  OneSession server{{first, first, session("job", "PENDING"), second, ended(second, "EXITED", 0)}};
  w.server.answer = std::ref(server);
  EXPECT_EQ(w.run({"run", "--cpu", "1", "--", "x"}).out, "42\n42\n");
  EXPECT_EQ(server.logs, 2);
}

TEST(Attach, IsLeftOutByDetachAnotherStateOrAnotherFormat) {
  FakeWorld w;
  OneSession server{{ended(started(session("job", "RUNNING"), 1), "EXITED", 0)}};
  w.server.answer = std::ref(server);
  EXPECT_NE(w.run({"run", "--cpu", "1", "-d", "--", "x"}).out.find("job   PENDING"), std::string::npos);
  EXPECT_EQ(w.run({"run", "--cpu", "1", "--wait=RUNNING", "-o", "name", "--", "x"}).out, "job\n");
  EXPECT_EQ(w.run({"run", "--cpu", "1", "-o", "name", "--", "x"}).out, "job\n");
  EXPECT_EQ(server.logs, 0);
  EXPECT_EQ(w.run({"run", "--cpu", "1", "--attach"}).out, "42\n");
  for (const char* other : {"-d", "--wait=RUNNING", "--output=json", "--dry-run"})
    EXPECT_EQ(w.run({"run", "--cpu", "1", "--attach", other}).exit, kUsage) << other;
}

TEST(Attach, SaysAtCtrlCHowToComeBackAndEndsNothing) {
  FakeWorld w;
  w.server.pauses_until_interrupt = 0;
  OneSession server{{started(session("job", "RUNNING"), 1)}};
  server.log = log_reply("half", false);
  w.server.answer = std::ref(server);
  const auto ran = w.run({"run", "--cpu", "1", "--", "x"});
  EXPECT_EQ(ran.exit, kTimeout);
  EXPECT_NE(ran.err.find("`berth session logs -f job` follows it"), std::string::npos) << ran.err;
  for (const auto& request : w.server.requests) EXPECT_NE(request.method, "DELETE");
}

TEST(Attach, OfASessionThatRunsFollowsItToItsEnd) {
  FakeWorld w;
  const auto running = started(session("job", "RUNNING"), 1);
  OneSession server{{running, running, ended(running, "EXITED", 3)}};
  w.server.answer = std::ref(server);
  const auto ran = w.run({"session", "attach", "job"});
  EXPECT_EQ(ran.exit, 3) << ran.err;
  EXPECT_EQ(ran.out, "42\n");
  EXPECT_NE(ran.err.find("job exited 3\n"), std::string::npos) << ran.err;
}

TEST(Attach, IsLeftByCtrlCWhileTheSessionGoesOn) {
  FakeWorld w;
  w.server.pauses_until_interrupt = 0;
  OneSession server{{started(session("job", "RUNNING"), 1)}};
  server.log = log_reply("half", false);
  w.server.answer = std::ref(server);
  const auto ran = w.run({"session", "attach", "job"});
  EXPECT_EQ(ran.exit, kTimeout);
  EXPECT_EQ(ran.out, "half");
  EXPECT_NE(ran.err.find("job goes on: `berth session logs -f job` follows it"), std::string::npos)
      << ran.err;
  EXPECT_EQ(w.run({"session", "attach", "job", "--timeout", "soon"}).exit, kUsage);
}

TEST(Attach, GoesOnWithoutALogThatCannotBeRead) {
  FakeWorld w;
  const auto running = started(session("job", "RUNNING"), 1);
  OneSession server{{running, ended(running, "EXITED", 5)}};
  server.log = problem(404, "unknown-kernel", "no log is there");
  w.server.answer = std::ref(server);
  const auto ran = w.run({"run", "--cpu", "1", "--", "x"});
  EXPECT_EQ(ran.exit, 5);
  EXPECT_NE(ran.err.find("its output cannot be read: no log is there"), std::string::npos) << ran.err;
}

TEST(Logs, FollowedWaitForASessionThatHasNotStarted) {
  FakeWorld w;
  const auto running = started(session("job", "RUNNING"), 1);
  OneSession server{{session("job", "PENDING"), session("job", "PENDING"), running}};
  w.server.answer = std::ref(server);
  const auto ran = w.run({"logs", "-f", "job"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out, "42\n");
}

TEST(Run, SaysWhichSessionANameOfDependsOnWasTakenFor) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) -> Result<HttpReply> {
    return json_reply(R"({"position": 1, "sessions": [], "dependencies": [{"asked": "prep", "session": "u-1",
      "name": "prep", "status": "TERMINATED", "result": "SUCCESS", "ended_at": "2025-12-31T22:00:00Z"}]})");
  };
  const auto ran =
      w.run({"run", "-d", "--type", "batch", "--cpu", "1", "--mem", "1g", "--depends-on", "prep", "--", "x"});
  EXPECT_NE(ran.err.find("depends on prep (u-1), TERMINATED SUCCESS, ended 2h00m ago"), std::string::npos)
      << ran.err;
}

TEST(EndText, SaysHowItEnded) {
  auto job = started(session("job", "RUNNING"), 1);
  job["roles"] = json::array{{{"role", "main"}, {"resources", {{"mem", "268435456"}}}}};
  EXPECT_EQ(end_text(ended(job, "EXITED", 0)), "exited 0");
  EXPECT_EQ(end_text(ended(job, "SIGNALLED", 139)), "killed by signal 11");
  EXPECT_EQ(end_text(ended(job, "OUT_OF_MEMORY", 137)), "out of memory (256m)");
  job["reason"] = json::object{{"code", "user-requested"}};
  EXPECT_EQ(end_text(ended(job, "STOPPED", 143)), "stopped (user-requested)");
}

TEST(EndText, SaysTheMessageOfAStartThatFailed) {
  auto job = session("job", "ERROR");
  job["message"] = "no image x:1 is here";
  EXPECT_EQ(end_text(job), "did not start: no image x:1 is here");
  job["status"] = "CANCELLED", job["reason"] = json::object{{"code", "pending-timeout"}}, job["message"] = "";
  EXPECT_EQ(end_text(job), "cancelled (pending-timeout)");
}

}  // namespace
}  // namespace berth::cli
