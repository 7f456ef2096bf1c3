// Whole command lines against a fake server: what is sent, what is printed, what the exit code is.
#include <gtest/gtest.h>

#include "tests/unit/cli/fake_up.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

HttpReply sessions_reply(std::initializer_list<json::value> sessions, unsigned status = 201) {
  return json_reply(json::serialize(json::object{{"sessions", json::array(sessions.begin(), sessions.end())},
                                                 {"next_page_token", nullptr},
                                                 {"position", 17}}),
                    status, 17);
}

TEST(Run, SendsWhatTheStoryAsksFor) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(sessions_reply({session("demo-1", "PENDING")}));
  };
  const auto ran = w.run({"session",       "run",
                          "--image",       "python:3.11",
                          "--cpu",         "0.5",
                          "--mem",         "256m",
                          "--resource",    "cuda.shares=1",
                          "--count",       "3",
                          "--name",        "demo",
                          "--env",         "A=b=c",
                          "--env",         "B=",
                          "--shm",         "64m",
                          "--priority",    "1",
                          "--requeueable", "--no-automatic-folder"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  ASSERT_EQ(w.server.requests.size(), 1u);
  EXPECT_EQ(w.server.requests[0].method + " " + w.server.requests[0].target, "POST /v1/sessions");
  EXPECT_EQ(
      json::parse(w.server.requests[0].body),
      json::parse(
          R"({"name": "demo", "image": "python:3.11", "shm": "64m", "count": 3, "priority": 1, "requeueable": true,
                            "no_automatic_folder": true,
                            "resources": {"cpu": "0.5", "mem": "256m", "cuda.shares": "1"}, "env": {"A": "b=c", "B": ""}})"));
  EXPECT_EQ(w.server.host_port, "127.0.0.1:7410");
}

TEST(Run, TakesNoMoreSessionsThanTheServerDoes) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) { return Result<HttpReply>(sessions_reply({})); };
  EXPECT_EQ(w.run({"session", "run", "--cpu", "1", "--count", "101"}).exit, kUsage);
  EXPECT_EQ(w.run({"session", "run", "--cpu", "1", "--count", "100"}).exit, 0);
  EXPECT_NE(w.run({"session", "run", "--help"}).out.find("up to 100"), std::string::npos);
}

TEST(GroupSet, RefusesWhatSaysNothing) {
  FakeWorld w;
  for (const auto& [option, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"--disk", ""},
                                                                  {"--shm", ""},
                                                                  {"--max-attempts", "0"},
                                                                  {"--half-life", "0"},
                                                                  {"--lookback", "91"}}) {
    const auto ran = w.run({"group", "set", "gpu", option, value});
    EXPECT_EQ(ran.exit, kUsage) << option;
    EXPECT_NE(ran.err.find(option), std::string::npos) << ran.err;
  }
  EXPECT_TRUE(w.server.requests.empty());
}

TEST(Agent, JoinsWithATokenThatStandsInNoListOfProcesses) {
  FakeWorld w;
  w.files["/run/token"] = "the-token\n";
  w.files["/dev/stdin"] = "another\n";
  w.files["/run/empty"] = "\n";
  w.server.answer = [](const HttpRequest&) { return Result<HttpReply>(json_reply(R"({"key": "k"})")); };
  EXPECT_EQ(w.run({"agent", "join", "a2", "--token-file", "/run/token"}).exit, 0);
  EXPECT_EQ(w.run({"agent", "join", "a2", "--token-file", "-"}).exit, 0);
  ASSERT_EQ(w.server.requests.size(), 2u);
  EXPECT_EQ(w.server.requests[0].body, R"({"token":"the-token"})");
  EXPECT_EQ(w.server.requests[1].body, R"({"token":"another"})");
  for (const char* file : {"/run/empty", "/run/none"})
    EXPECT_EQ(w.run({"agent", "join", "a2", "--token-file", file}).exit, kUsage);
  EXPECT_EQ(w.run({"agent", "join", "a2"}).exit, kUsage);
  EXPECT_EQ(w.server.requests.size(), 2u);
}

TEST(Agent, WhoseKeyIsReplacedWhileItIsAliveIsWarnedOf) {
  for (const char* verb : {"token", "enroll"})
    for (const char* state : {"ALIVE", "LOST"}) {
      FakeWorld w;
      w.server.answer = [&](const HttpRequest& request) {
        return Result<HttpReply>(json_reply(request.method == "GET"
                                                ? R"({"name": "a2", "state": ")" + std::string(state) + "\"}"
                                                : R"({"key": "k", "position": 9})"));
      };
      const auto ran = w.run({"agent", verb, "a2"});
      EXPECT_EQ(ran.exit, 0) << ran.err;
      EXPECT_EQ(ran.err.find("agent a2 is ALIVE") != std::string::npos, state == std::string("ALIVE"))
          << ran.err;
    }
}

TEST(Agent, IsFencedWhileItIsAliveOnlyByForce) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) {
    return Result<HttpReply>(request.target == "/v1/agents/a1/fence?force=true"
                                 ? json_reply(R"({"agent": {"name": "a1", "state": "LOST"}, "position": 7})")
                                 : problem(409, "agent-alive", "fencing it would lose 4 kernels"));
  };
  const auto refused = w.run({"agent", "fence", "a1"});
  EXPECT_EQ(refused.exit, kConflict);
  EXPECT_NE(refused.err.find("would lose 4 kernels"), std::string::npos) << refused.err;
  EXPECT_EQ(w.run({"agent", "fence", "a1", "--force"}).exit, kOk);
}

TEST(Run, OfAProgramWhoseEndNobodySawFails) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) {
    return Result<HttpReply>(request.method == "POST"
                                 ? sessions_reply({session("job", "PENDING")})
                                 : json_reply(json::serialize(session("job", "TERMINATED"))));
  };
  EXPECT_EQ(w.run({"run", "--cpu", "1", "--wait=ended"}).exit, kFailed);
}

TEST(Run, SaysWhereTheProgramsCommandStands) {
  FakeWorld w;
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"run", "--cpu", "1", "ls"}, {"run", "--cpu", "1", "ls", "-la"}, {"session", "run", "ls"}}) {
    const auto ran = w.run(words);
    EXPECT_EQ(ran.exit, kUsage);
    EXPECT_NE(ran.err.find("... -- ls\n"), std::string::npos) << ran.err;
  }
  EXPECT_NE(w.run({"run", "--imgae", "python:3.11"}).err.find("did you mean '--image'?"), std::string::npos);
}

TEST(Run, SendsHowItStandsToOthers) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(sessions_reply({session("a", "PENDING")}));
  };
  EXPECT_EQ(w.run({"run", "--cpu", "1", "--job-priority", "5", "--not-preemptible", "--session-group",
                   "web=pack,strict"})
                .exit,
            0);
  EXPECT_EQ(json::parse(w.server.requests[0].body),
            json::parse(R"({"resources": {"cpu": "1"}, "job_priority": 5, "preemptible": false,
      "session_group": {"name": "web", "rule": "pack", "strict": true}})"));
  EXPECT_EQ(w.run({"session", "run", "--cpu", "1", "--session-group", "web"}).exit, 0);
  EXPECT_EQ(json::parse(w.server.requests[1].body).at("session_group"),
            json::parse(R"({"name": "web", "rule": "spread"})"));
  EXPECT_EQ(w.run({"session", "run", "--cpu", "1", "--session-group", "web=near"}).exit, kUsage);
  EXPECT_EQ(w.run({"session", "run", "--cpu", "1", "--job-priority", "1001"}).exit, kUsage);
  EXPECT_EQ(w.server.requests.size(), 2u);
}

TEST(Run, TakesWhatStandsBehindTheDashesAsTheKernelsCommand) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(sessions_reply({session("a", "PENDING")}));
  };
  EXPECT_EQ(w.run({"session", "run", "--cpu", "1", "-d", "--", "sh", "-c", "exit 3", "--name", "--"}).exit,
            0);
  EXPECT_EQ(json::parse(w.server.requests[0].body).at("command"),
            json::parse(R"(["sh", "-c", "exit 3", "--name", "--"])"));
}

TEST(Run, RefusesACommandThatIsNotThereOrHasNoPlace) {
  FakeWorld w;
  EXPECT_EQ(w.run({"session", "run", "--cpu", "1", "--"}).exit, kUsage);
  EXPECT_EQ(w.run({"session", "ls", "--", "x"}).exit, kUsage);
  EXPECT_TRUE(w.server.requests.empty());
}

TEST(Run, ExitsWithTheCodeOfTheBatchJob) {
  FakeWorld w;
  int gets = 0;
  w.server.answer = [&](const HttpRequest& request) -> Result<HttpReply> {
    auto job = session("job", "RUNNING");
    if (request.method == "POST") return sessions_reply({session("job", "PENDING")});
    if (++gets == 2) return problem(504, "position-not-reached");
    if (gets == 3) job["status"] = "TERMINATED", job["result"] = "FAILED", job["exit_code"] = 42;
    return json_reply(json::serialize(job));
  };
  EXPECT_EQ(w.run({"session", "run", "--type", "batch", "--cpu", "1", "--", "false"}).exit, 42);
  EXPECT_EQ(w.server.requests[1].target, "/v1/sessions/id-job?min_position=17&wait=10000ms");
}

TEST(Run, WaitsForEachSessionOnce) {
  FakeWorld w;
  w.server.answer = [&](const HttpRequest& request) -> Result<HttpReply> {
    if (request.method == "POST")
      return sessions_reply({session("a-1", "PENDING"), session("a-2", "PENDING")});
    return json_reply(
        json::serialize(session(request.target.find("a-1") != std::string::npos ? "a-1" : "a-2", "RUNNING")));
  };
  const auto ran =
      w.run({"session", "run", "--cpu", "1", "--count", "2", "--name", "a", "--wait", "-o", "name"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out, "a-1\na-2\n");
  EXPECT_EQ(w.server.requests.size(), 3u);
}

// UX: 8 if any is still PENDING at the timeout.
TEST(Run, SaysAcceptedButPendingWhenTheTimeIsOver) {
  FakeWorld w;
  w.server.answer = [&](const HttpRequest& request) -> Result<HttpReply> {
    if (request.method == "POST") return sessions_reply({session("a", "PENDING")});
    return json_reply(json::serialize(session("a", "PENDING")));
  };
  const auto ran = w.run({"session", "run", "--cpu", "1", "--wait", "--timeout", "5ms"});
  EXPECT_EQ(ran.exit, kPending) << ran.err;
  EXPECT_NE(ran.err.find("not RUNNING in time: a PENDING (no-device cuda.shares)"), std::string::npos)
      << ran.err;
}

TEST(Run, SaysTimeoutWhenItIsBeyondPendingButNotThere) {
  FakeWorld w;
  w.server.answer = [&](const HttpRequest& request) -> Result<HttpReply> {
    return request.method == "POST" ? sessions_reply({session("a", "PENDING")})
                                    : json_reply(json::serialize(session("a", "PULLING")));
  };
  EXPECT_EQ(w.run({"session", "run", "--cpu", "1", "--wait=RUNNING", "--timeout", "5ms"}).exit, kTimeout);
}

TEST(Run, FailsWhenTheSessionEndsBeforeItRuns) {
  FakeWorld w;
  w.server.answer = [&](const HttpRequest& request) -> Result<HttpReply> {
    auto failed = session("a", "ERROR");
    failed["message"] = "no image x:1 is here";
    return request.method == "POST" ? sessions_reply({session("a", "PENDING")})
                                    : json_reply(json::serialize(failed));
  };
  const auto ran = w.run({"session", "run", "--cpu", "1", "--wait"});
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("a was never RUNNING: did not start: no image x:1 is here"), std::string::npos)
      << ran.err;
}

TEST(Run, OnlyStopsWaitingAtCtrlC) {
  FakeWorld w;
  w.server.pauses_until_interrupt = 0;
  w.server.answer = [&](const HttpRequest& request) -> Result<HttpReply> {
    return request.method == "POST" ? sessions_reply({session("a", "PENDING")})
                                    : json_reply(json::serialize(session("a", "PENDING")));
  };
  const auto ran = w.run({"session", "run", "--cpu", "1", "--wait"});
  EXPECT_EQ(ran.exit, kPending);
  for (const auto& request : w.server.requests) EXPECT_NE(request.method, "DELETE");
}

TEST(Run, RefusesBadPairsBeforeAnythingIsSent) {
  FakeWorld w;
  for (const auto& words : std::vector<std::vector<std::string>>{{"--resource", "cuda.shares"},
                                                                 {"--resource", "=1"},
                                                                 {"--resource", "x="},
                                                                 {"--env", "A"},
                                                                 {"--cpu", "1", "--resource", "cpu=2"},
                                                                 {"--timeout", "soon", "--wait"},
                                                                 {"--wait=HAPPY"},
                                                                 {"--count", "0"},
                                                                 {"--cpu", "1", "--count", "101"},
                                                                 {"--image", "python:3.11"},
                                                                 {"--type", "nonsense"}}) {
    std::vector<std::string> line{"session", "run"};
    line.insert(line.end(), words.begin(), words.end());
    EXPECT_EQ(w.run(line).exit, kUsage) << words[0] << " " << (words.size() > 1 ? words[1] : "");
  }
  EXPECT_TRUE(w.server.requests.empty());
}

TEST(ExitCodes, AreThoseOfTheServersRefusal) {
  FakeWorld w;
  const std::pair<HttpReply, int> cases[] = {
      {problem(404, "unknown-session"), kNotFound},  {problem(401, "bad-signature"), kDenied},
      {problem(409, "name-in-use"), kConflict},      {problem(400, "invalid-amount"), kUsage},
      {problem(400, "unknown-policy"), kUsage},      {problem(400, "unknown-image"), kNotFound},
      {problem(400, "unknown-user"), kNotFound},     {problem(413, "request-too-large"), kUsage},
      {problem(400, "limit-exceeded"), kFailed},     {problem(400, "no-agents"), kFailed},
      {problem(400, "body-hash-mismatch"), kFailed}, {problem(500, "internal-error"), kFailed}};
  for (const auto& [reply, exit] : cases) {
    w.server.answer = [&reply = reply](const HttpRequest&) { return Result<HttpReply>(reply); };
    EXPECT_EQ(w.run({"session", "show", "a"}).exit, exit);
  }
  w.server.answer = [](const HttpRequest&) -> Result<HttpReply> {
    return make_error("unreachable", "refused");
  };
  EXPECT_EQ(w.run({"session", "ls"}).exit, kUnreachable);
  w.keys.clear();
  EXPECT_EQ(w.run({"session", "ls"}).exit, kDenied);
}

TEST(ExitCodes, ComeWithCodeMessageHintAndRequest) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(problem(409, "name-in-use", "demo is there", "choose another name"));
  };
  EXPECT_EQ(w.run({"session", "run", "--name", "demo", "--cpu", "1"}).err,
            "berth: name-in-use: demo is there\n  hint: choose another name\n  request: r-1\n");
}

TEST(Errors, AreTheServersProblemOnOneLineWhereJsonIsAskedFor) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(problem(409, "name-in-use", "demo is there", "choose another name"));
  };
  const auto sent = json::parse(problem(409, "name-in-use", "demo is there", "choose another name").body);
  for (const char* format : {"json", "jsonl", "yaml"}) {
    const auto ran = w.run({"session", "run", "--cpu", "1", "-o", format});
    EXPECT_EQ(ran.exit, kConflict);
    EXPECT_EQ(ran.err, json::serialize(sent) + "\n") << format;
  }
}

TEST(Errors, OfTheCliItselfHaveTheSameMembersInJson) {
  FakeWorld w;
  w.keys.clear();
  const auto denied = json::parse(w.run({"session", "ls", "-o", "json"}).err);
  EXPECT_EQ(denied.at("type"), "urn:berth:error:no-key");
  EXPECT_EQ(denied.at("title"), "Denied");
  EXPECT_EQ(denied.at("code"), "no-key");
  EXPECT_TRUE(denied.at("hint").is_string());
  w.variables["BERTH__OUTPUT__FORMAT"] = "json";
  EXPECT_EQ(json::parse(w.run({"session", "ls"}).err).at("code"), "no-key");
}

// The command line cannot be read, but what it says of the format is.
TEST(Errors, OfAWrongCommandLineAreJsonToo) {
  FakeWorld w;
  for (const auto& words : std::vector<std::vector<std::string>>{{"-o", "json", "sesion", "ls"},
                                                                 {"session", "sohw", "a", "--output=json"},
                                                                 {"ps", "--nonsense", "-ojson"},
                                                                 {"ps", "-o", "json", "--", "x"}}) {
    const auto ran = w.run(words);
    EXPECT_EQ(ran.exit, kUsage);
    EXPECT_EQ(json::parse(ran.err).at("code"), "usage") << ran.err;
  }
}

TEST(Usage, SuggestsWhatWasMeant) {
  FakeWorld w;
  const auto ran = w.run({"sesion", "ls"});
  EXPECT_EQ(ran.exit, kUsage);
  EXPECT_EQ(ran.err, "berth: 'berth sesion' is no command\n  hint: did you mean 'session'?\n");
  EXPECT_NE(w.run({"session", "sohw", "a"}).err.find("did you mean 'show'?"), std::string::npos);
  EXPECT_NE(w.run({"session", "run", "--imgae", "x"}).err.find("did you mean '--image'?"), std::string::npos);
  EXPECT_NE(w.run({"session"}).err.find("wants a verb"), std::string::npos);
  EXPECT_EQ(w.run({}).exit, kUsage);
}

TEST(Usage, ShowsHelpWithExamplesAndExitCodes) {
  FakeWorld w;
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"--help"}, {"session", "run", "--help"}, {"event", "tail", "-h"}}) {
    const auto ran = w.run(words);
    EXPECT_EQ(ran.exit, 0);
    EXPECT_NE(ran.out.find("Examples:"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("8 accepted but pending"), std::string::npos);
  }
}

TEST(Ls, GoesThroughAllPagesAndKnowsItsAliases) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    const bool second = request.target.find("page_token=t2") != std::string::npos;
    return json_reply(json::serialize(
        json::object{{"sessions", json::array{session(second ? "b" : "a", "RUNNING")}},
                     {"next_page_token", second ? json::value(nullptr) : json::value("t2")}}));
  };
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"session", "ls"}, {"sessions", "list"}, {"ps"}}) {
    std::vector<std::string> line = words;
    line.insert(line.end(), {"-o", "name", "--all"});
    EXPECT_EQ(w.run(line).out, "a\nb\n");
  }
  EXPECT_EQ(w.server.requests[0].target, "/v1/sessions?state=all&limit=1000");
}

TEST(Ls, ShowsHowEndedOnesEndedAndReachesBackToATime) {
  FakeWorld w;
  auto job = session("job", "TERMINATED");
  job["kernels"] = json::array{{{"end", "EXITED"}, {"exit_code", 3}}};
  w.server.answer = [&](const HttpRequest&) { return Result<HttpReply>(sessions_reply({job}, 200)); };
  const auto ran = w.run({"session", "ls", "--since", "2h"});
  EXPECT_NE(ran.out.find("RESULT"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("exited 3"), std::string::npos) << ran.out;
  EXPECT_EQ(w.server.requests[0].target, "/v1/sessions?state=all&since=2025-12-31T22%3A00%3A00Z&limit=1000");
  w.run({"session", "ls", "-s", "ended", "--since", "2026-01-01T00:00:00Z"});
  EXPECT_EQ(w.server.requests[1].target,
            "/v1/sessions?state=ended&since=2026-01-01T00%3A00%3A00Z&limit=1000");
  EXPECT_EQ(w.run({"session", "ls", "--since", "yesterday"}).exit, kUsage);
  EXPECT_EQ(w.run({"session", "ls"}).out.find("RESULT"), std::string::npos);
}

TEST(Output, FollowsFlagThenEnvironmentThenFile) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(sessions_reply({session("a", "RUNNING")}, 200));
  };
  w.files["/home/u/config.toml"] = "[output]\nformat = \"name\"\n";
  EXPECT_EQ(w.run({"ps"}).out, "a\n");
  w.variables["BERTH__OUTPUT__FORMAT"] = "csv";
  EXPECT_EQ(w.run({"ps", "--no-headers"}).out.substr(0, 10), "a,RUNNING,");
  EXPECT_EQ(w.run({"-o", "name", "ps"}).out, "a\n");
  EXPECT_EQ(w.run({"ps", "-o", "xml"}).exit, kUsage);
}

TEST(Output, IsAsWideAsTheTerminalOrAsColumnsSays) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(sessions_reply({session("a", "RUNNING")}, 200));
  };
  EXPECT_NE(w.run({"ps"}).out.find("IMAGE  "), std::string::npos);
  w.variables["COLUMNS"] = "60";
  EXPECT_NE(w.run({"ps"}).out.find("not shown for want of width: IMAGE, AGE, RAN\n(-o wide has all)"),
            std::string::npos);
  EXPECT_EQ(w.run({"ps", "--no-headers"}).out.find("not shown"), std::string::npos);
  w.variables["COLUMNS"] = "many";
  EXPECT_NE(w.run({"ps"}).out.find("IMAGE  "), std::string::npos);
}

TEST(Output, TellsTimesInTheReadersZone) {
  FakeWorld w;
  w.utc_offset = 9 * kHour;
  w.server.answer = [](const HttpRequest&) { return json_reply(json::serialize(session("a", "RUNNING"))); };
  EXPECT_NE(w.run({"session", "show", "a"}).out.find("2026-01-01 08:59:00+09:00"), std::string::npos);
  EXPECT_NE(w.run({"session", "show", "a", "-o", "json"}).out.find("2025-12-31T23:59:00Z"),
            std::string::npos);
}

TEST(Output, IsColouredOnlyOnATerminalAndNeverWithNoColor) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(sessions_reply({session("a", "RUNNING")}, 200));
  };
  EXPECT_EQ(w.run({"ps"}).out.find('\x1b'), std::string::npos);
  w.terminal = true;
  EXPECT_NE(w.run({"ps"}).out.find("\x1b[32mRUNNING"), std::string::npos);
  w.variables["NO_COLOR"] = "1";
  EXPECT_EQ(w.run({"ps"}).out.find('\x1b'), std::string::npos);
}

TEST(Rm, EndsEachAndGoesOnBehindAFailure) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    if (request.target.find("/gone") != std::string::npos) return problem(404, "unknown-session");
    return json_reply(
        json::serialize(json::object{{"session", session("b", "TERMINATING")}, {"position", 20}}));
  };
  const auto ran = w.run({"session", "rm", "gone", "b", "-o", "name", "--forced"});
  EXPECT_EQ(ran.out, "b\n");
  EXPECT_EQ(ran.exit, kNotFound);
  EXPECT_EQ(w.server.requests[1].target, "/v1/sessions/b?forced=true");
}

TEST(Rm, DoesNotTakeANameBehindWaitForAState) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    if (request.method == "DELETE")
      return json_reply(
          json::serialize(json::object{{"session", session("b", "TERMINATING")}, {"position", 20}}));
    return json_reply(json::serialize(session("b", "TERMINATED")));
  };
  EXPECT_EQ(w.run({"session", "rm", "--wait", "b", "-o", "name"}).out, "b\n");
  EXPECT_EQ(w.server.requests[0].target, "/v1/sessions/b");
}

TEST(Logs, PrintTheBytesAndFollowTheOffset) {
  FakeWorld w;
  int calls = 0;
  w.server.answer = [&](const HttpRequest&) -> Result<HttpReply> {
    ++calls;
    return HttpReply{200,
                     {{"content-type", "application/octet-stream"},
                      {"x-berth-log-next", std::to_string(calls * 3)},
                      {"x-berth-log-end", calls == 2 ? "true" : "false"}},
                     calls == 1 ? "ab\n" : "c\x01\n"};
  };
  EXPECT_EQ(w.run({"session", "logs", "a"}).out, "ab\nc\x01\n");
  EXPECT_NE(w.server.requests[1].target.find("offset=3"), std::string::npos);
}

TEST(Config, ShowsWhereEachSettingComesFromAndNeverASecret) {
  FakeWorld w;
  w.variables["BERTH_ACCESS_KEY"] = "id";
  w.variables["BERTH_SECRET_KEY"] = "hush";
  const auto ran = w.run({"config", "show", "--origin", "--endpoint", "http://a:1"});
  EXPECT_NE(ran.out.find("api.endpoint        http://a:1      flag         --endpoint"), std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("environment  BERTH_SECRET_KEY"), std::string::npos);
  EXPECT_EQ(ran.out.find("hush"), std::string::npos);
  EXPECT_EQ(w.run({"config", "check"}).exit, 0);
  w.files["/home/u/config.toml"] = "[api]\nfoo = \"x\"\n";
  EXPECT_EQ(w.run({"config", "check"}).exit, kUsage);
}

TEST(Completion, KnowsVerbsOptionsValuesAndLiveNames) {
  FakeWorld w;
  EXPECT_EQ(w.run({"__complete", "--", "session", "r"}).out, "run\nrm\n");
  EXPECT_EQ(w.run({"__complete", "--", "session", "run", "--im"}).out, "--image\n");
  EXPECT_EQ(w.run({"__complete", "--", "ps", "-o", "js"}).out, "json\njsonl\n");
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(
        sessions_reply({session("demo-1", "RUNNING"), session("other", "RUNNING")}, 200));
  };
  EXPECT_EQ(w.run({"__complete", "--", "session", "rm", "d"}).out, "demo-1\n");
  EXPECT_NE(w.run({"completion", "bash"}).out.find("complete -o default -F _berth berth"), std::string::npos);
}

TEST(Up, HandsItsOptionsOver) {
  FakeWorld w;
  EXPECT_EQ(w.run({"up", "--data", "/tmp/b", "--port", "7500", "--accelerator", "mock:1x2", "--log",
                   "kafka://127.0.0.1:9092", "--end-kernels", "--backend", "process", "--name", "a7",
                   "--group", "gpu", "--kafka-config", "/tmp/k", "--allow-one-replica"})
                .exit,
            0);
  EXPECT_EQ(last_up.data + " " + std::to_string(last_up.listening.port) + " " + last_up.accelerator + " " +
                last_up.log,
            "/tmp/b 7500 mock:1x2 kafka://127.0.0.1:9092");
  EXPECT_EQ(last_up.backend + " " + last_up.name + " " + last_up.group, "process a7 gpu");
  EXPECT_TRUE(last_up.end_kernels);
  EXPECT_EQ(last_up.kafka_config, "/tmp/k");
  EXPECT_TRUE(last_up.allow_one_replica);
  EXPECT_EQ(w.run({"up", "--keep-kernels"}).exit, 0);
  EXPECT_FALSE(last_up.end_kernels);
  EXPECT_EQ(w.run({"up", "--keep-kernels", "--end-kernels"}).exit, kUsage);
  EXPECT_EQ(w.run({"up", "--port", "0"}).exit, kUsage);
  EXPECT_EQ(w.run({"up", "--backend", "vm"}).exit, kUsage);
}

TEST(RotateKey, NamesTheCommandThatReplacedIt) {
  FakeWorld w;
  const auto ran = w.run({"cluster", "rotate-key", "--data", "/srv/berth"});
  EXPECT_EQ(ran.exit, kUsage);
  EXPECT_NE(ran.err.find("is replaced by `berth key rotate seal`"), std::string::npos) << ran.err;
  EXPECT_TRUE(w.server.requests.empty());
  EXPECT_EQ(w.run({"cluster", "--help"}).out.find("rotate-key"), std::string::npos);
}

TEST(Closest, CountsASwapAsOne) {
  EXPECT_EQ(closest("sohw", {"ls", "show", "run"}), "show");
  EXPECT_EQ(closest("qqqq", {"ls", "show", "run"}), "");
}

}  // namespace
}  // namespace berth::cli
