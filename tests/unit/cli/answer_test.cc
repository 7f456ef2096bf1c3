// What is taken for an answer of Berth (ops/cli/http/api.h): a proxy, a portal or another server says 200,
// too.
#include <gtest/gtest.h>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

using Words = std::vector<std::string>;

// Commands of every kind: those that read, change, follow and sign in.
std::vector<Words> commands() {
  return {{"session", "ls"},
          {"session", "ls", "--watch"},
          {"session", "show", "a"},
          {"session", "show", "a", "--wait"},
          {"session", "why", "a"},
          {"session", "rm", "a"},
          {"session", "run", "--cpu", "1"},
          {"session", "run", "--cpu", "1", "--dry-run"},
          {"session", "logs", "a"},
          {"event", "tail"},
          {"event", "tail", "--from", "0"},
          {"event", "tail", "--no-follow"},
          {"agent", "ls"},
          {"agent", "show", "a"},
          {"agent", "drain", "a"},
          {"agent", "enroll", "a"},
          {"agent", "join", "a", "--token", "t"},
          {"user", "add", "bob"},
          {"user", "show", "bob"},
          {"project", "show", "p"},
          {"key", "ls"},
          {"key", "add", "--name", "k"},
          {"group", "set", "g"},
          {"resource"},
          {"resource", "presets"},
          {"cluster", "show"},
          {"cluster", "verify"},
          {"whoami"},
          {"login-link"},
          {"login", "http://127.0.0.1:1", "--user", "u", "--password-stdin"}};
}

std::string text_of(const Words& words) {
  std::string text;
  for (const auto& word : words) text += word + " ";
  return text;
}

void expect_refused(const HttpReply& reply, const Words& words) {
  FakeWorld w;
  w.files["-"] = "four words\n";
  w.server.answer = [&](const HttpRequest&) { return Result<HttpReply>(reply); };
  w.server.stream_reply = reply;
  w.server.stream_chunks = {""};
  w.server.pauses_until_interrupt = 20;
  const Ran ran = w.run(words);
  EXPECT_EQ(ran.exit, kFailed) << text_of(words) << reply.body;
  EXPECT_EQ(ran.out, "") << text_of(words) << reply.body;
  EXPECT_NE(ran.err.find("not-berth: this is no answer of Berth"), std::string::npos)
      << text_of(words) << ran.err;
  EXPECT_NE(ran.err.find("proxy"), std::string::npos) << ran.err;
  EXPECT_FALSE(w.files.contains("/home/u/contexts.json"));
}

TEST(Answer, OfAPortalIsAFailureOfEveryCommand) {
  for (const Words& words : commands())
    expect_refused({200, {{"content-type", "text/html"}}, "<html>"}, words);
}

TEST(Answer, OfJsonThatIsNoObjectIsAFailureOfEveryCommand) {
  for (const char* body : {"null", "[[[", "[]", "\"yes\""})
    for (const Words& words : commands()) expect_refused(json_reply(body), words);
}

TEST(Answer, WithoutTheMemberThatACommandNeedsFailsByItsName) {
  for (const Words& words : commands()) expect_refused(json_reply("{}"), words);
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) { return Result<HttpReply>(json_reply(R"({"sessions": {}})")); };
  EXPECT_NE(w.run({"session", "ls"}).err.find("it has no list 'sessions'"), std::string::npos);
  w.server.answer = [](const HttpRequest&) { return Result<HttpReply>(json_reply(R"({"session": null})")); };
  EXPECT_NE(w.run({"session", "rm", "a"}).err.find("it has no 'session'"), std::string::npos);
}

TEST(Answer, OfALoginWithoutASecretKeyLeavesNoContext) {
  FakeWorld w;
  w.files["-"] = "four words\n";
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(
        json_reply(R"({"access_key": "BK1", "expires_at": "2026-04-01T00:00:00Z"})", 201));
  };
  const Ran ran = w.run({"login", "http://127.0.0.1:1", "--user", "u", "--password-stdin"});
  EXPECT_EQ(ran.exit, kFailed);
  EXPECT_NE(ran.err.find("it has no 'secret_key'"), std::string::npos) << ran.err;
  EXPECT_FALSE(w.files.contains("/home/u/contexts.json"));
}

}  // namespace
}  // namespace berth::cli
