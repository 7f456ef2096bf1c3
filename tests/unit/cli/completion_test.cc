// Completion: the hidden command's candidates, and the script of bash around it.
#include <gtest/gtest.h>

#include <cstdio>

#include "ops/cli/completion_scripts.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

// Answers each list of the API with one or two names.
void serve_names(FakeWorld& w) {
  w.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    const auto is = [&](const char* path) { return request.target.starts_with(path); };
    if (is("/v1/images"))
      return json_reply(R"({"images": [{"reference": "python:3.11"}, {"reference": "r:4"}]})");
    if (is("/v1/presets")) return json_reply(R"({"presets": [{"name": "small"}]})");
    if (is("/v1/groups")) return json_reply(R"({"groups": [{"name": "default"}, {"name": "gpu"}]})");
    if (is("/v1/slots")) return json_reply(R"({"slots": [{"name": "cpu"}, {"name": "cuda.shares"}]})");
    if (is("/v1/sessions?state=all")) return json_reply(R"({"sessions": [{"name": "ended"}]})");
    if (is("/v1/sessions?state=RUNNING")) return json_reply(R"({"sessions": [{"name": "running"}]})");
    if (is("/v1/sessions/demo/shells"))
      return json_reply(R"({"items": [{"name": "main"}, {"name": "build"}]})");
    if (is("/v1/sessions/demo/apps"))
      return json_reply(R"({"items": [{"name": "jupyter"}, {"name": "db"}]})");
    if (is("/v1/sessions/demo")) return json_reply(R"({"kernels": [{"name": "main1"}, {"name": "sub1"}]})");
    return problem(404, "no-such-route");
  };
}

std::string completed(std::vector<std::string> words) {
  FakeWorld w;
  serve_names(w);
  words.insert(words.begin(), {"__complete", "--"});
  return w.run(words).out;
}

TEST(Completion, OffersEndedSessionsWhereThereIsSomethingToSeeOfThem) {
  for (const char* verb : {"logs", "show", "events", "why"})
    EXPECT_EQ(completed({"session", verb, "en"}), "ended\n") << verb;
  EXPECT_EQ(completed({"logs", "en"}), "ended\n");
  EXPECT_EQ(completed({"session", "rm", "en"}), "");
}

TEST(Completion, OffersSessionsThatRunWhereSomethingIsDoneInOne) {
  for (const char* verb : {"exec", "shell", "attach"})
    EXPECT_EQ(completed({"session", verb, "ru"}), "running\n") << verb;
  EXPECT_EQ(completed({"exec", ""}), "running\n");
  EXPECT_EQ(completed({"cp", "ru"}), "running:\n");
  EXPECT_EQ(completed({"session", "cp", "file", "ru"}), "running:\n");
  EXPECT_EQ(completed({"shell", ""}), "running\n");
}

TEST(Completion, KnowsTheKernelsAndShellsOfASession) {
  EXPECT_EQ(completed({"exec", "demo", "-k", "s"}), "sub1\n");
  EXPECT_EQ(completed({"shell", "demo", "--kernel=m"}), "--kernel=main1\n");
  EXPECT_EQ(completed({"shell", "demo", "-n", "b"}), "build\n");
  EXPECT_EQ(completed({"session", "shell", "demo", "--name", ""}), "main\nbuild\n");
  EXPECT_EQ(completed({"shell", "-n", "b"}), "");
}

TEST(Completion, KnowsTheAppsOfASession) {
  EXPECT_EQ(completed({"app", "st"}), "start\nstop\n");
  for (const char* verb : {"ls", "start", "stop", "open", "url", "listen"})
    EXPECT_EQ(completed({"app", verb, "ru"}), "running\n") << verb;
  EXPECT_EQ(completed({"app", "start", "demo", ""}), "jupyter\ndb\n");
  EXPECT_EQ(completed({"app", "listen", "demo", "d"}), "db\n");
  EXPECT_EQ(completed({"app", "ls", "demo", ""}), "");
}

TEST(Completion, OfAValueBehindAnEqualsSignKeepsTheOption) {
  EXPECT_EQ(completed({"session", "run", "--image=py"}), "--image=python:3.11\n");
  EXPECT_EQ(completed({"session", "run", "--image", "python:3"}), "python:3.11\n");
  EXPECT_EQ(completed({"ps", "--output=js"}), "--output=json\n--output=jsonl\n");
  EXPECT_EQ(completed({"session", "run", "--wait=TERMINATE"}), "--wait=TERMINATED\n");
  EXPECT_EQ(completed({"session", "run", "--nonsense=x"}), "");
}

TEST(Completion, KnowsTheValuesOfOptions) {
  EXPECT_EQ(completed({"session", "run", "--preset", ""}), "small\n");
  EXPECT_EQ(completed({"session", "run", "-g", "g"}), "gpu\n");
  EXPECT_EQ(completed({"session", "logs", "demo", "-k", "s"}), "sub1\n");
  EXPECT_EQ(completed({"session", "run", "--type", "b"}), "batch\n");
  EXPECT_EQ(completed({"event", "tail", "--until", "SessionSch"}), "SessionScheduled\n");
  EXPECT_EQ(completed({"event", "tail", "--type", "LimitSet,SessionSch"}), "LimitSet,SessionScheduled\n");
  EXPECT_EQ(completed({"group", "set", "gpu", "--head-of-line", "sk"}), "skip-after-n=\n");
  EXPECT_EQ(completed({"group", "set", "gpu", "--order", "back"}), "backfill\n");
  EXPECT_EQ(completed({"agent", "ls", "--state", "AL"}), "ALIVE\n");
}

TEST(Completion, GoesOnWithinAValue) {
  EXPECT_EQ(completed({"session", "run", "-r", "cu"}), "cuda.shares=\n");
  EXPECT_EQ(completed({"group", "set", "g", "--device", "cuda.shares=f"}), "cuda.shares=fill\n");
  EXPECT_EQ(completed({"session", "run", "--session-group", "web=p"}), "web=pack\n");
  EXPECT_EQ(completed({"ps", "--state", "PENDING,RUN"}), "PENDING,RUNNING\n");
  EXPECT_EQ(completed({"group", "set", "g", "--slot-priority", "cpu,cu"}), "cpu,cuda.shares\n");
}

TEST(Completion, TellsPositionalArgumentsApart) {
  EXPECT_EQ(completed({"limit", "set", "u"}), "user\n");
  EXPECT_EQ(completed({"limit", "set", "user", ""}), "");
  EXPECT_EQ(completed({"preset", "rm", ""}), "small\n");
  EXPECT_EQ(completed({"image", "rm", "r:"}), "r:4\n");
}

TEST(Completion, OfHelpIsThatOfCommands) {
  EXPECT_EQ(completed({"help", "session", "r"}), "run\nrm\n");
  EXPECT_EQ(completed({"help", "session", "rm", ""}), "");
}

// What bash puts in for `line`, which it has cut into `pieces`, when the program offers `offered`.
std::string in_bash(const std::string& line, const std::string& pieces, const std::string& offered) {
  const std::string script =
      std::string(kBashCompletion) + "berth() { shift 2; printf '%s\\n' \"asked<$*>\" >&2; printf '%s\\n' " +
      offered +
      "; }\n"
      "COMP_LINE='" +
      line + "' COMP_POINT=${#COMP_LINE} COMP_WORDS=(" + pieces +
      ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_berth\nprintf '%s|' \"${COMPREPLY[@]}\"\n";
  const std::string path = ::testing::TempDir() + "/berth_completion_test.bash";
  std::FILE* file = std::fopen(path.c_str(), "w");
  EXPECT_NE(file, nullptr);
  std::fputs(script.c_str(), file);
  std::fclose(file);
  std::FILE* bash = ::popen(("bash '" + path + "' 2>/dev/null").c_str(), "r");
  EXPECT_NE(bash, nullptr);
  std::string out;
  for (int c = std::fgetc(bash); c != EOF; c = std::fgetc(bash)) out += static_cast<char>(c);
  EXPECT_EQ(::pclose(bash), 0);
  return out;
}

TEST(BashCompletion, PutsTogetherWhatBashCutsAtColonsAndEqualsSigns) {
  const std::string images = "python:3.11 python:3.12";
  EXPECT_EQ(in_bash("berth run --image python:3.1", "berth run --image python : 3.1", images), "3.11|3.12|");
  EXPECT_EQ(in_bash("berth run --image python:", "berth run --image python :", images), "3.11|3.12|");
  EXPECT_EQ(in_bash("berth run --image=py", "berth run --image = py", "--image=python:3.11"), "python:3.11|");
  EXPECT_EQ(in_bash("berth run --image=python:3", "berth run --image = python : 3", "--image=python:3.11"),
            "3.11|");
  EXPECT_EQ(in_bash("berth run --image=", "berth run --image =", "--image=a --image=b"), "a|b|");
  EXPECT_EQ(in_bash("berth  session  ", "berth session ''", "ls rm"), "ls|rm|");
  EXPECT_EQ(in_bash("berth se", "berth se", "session"), "session|");
}

}  // namespace
}  // namespace berth::cli
