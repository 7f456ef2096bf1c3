// What ends with a session: shown, and asked about where a person ends one.
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include "ops/cli/session/losses.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr const char* kThree = R"({"files": 3, "bytes": 52480, "complete": true, "unknown": [], "names": [)"
                               R"({"kernel": "main1", "path": "/home/work/Untitled.ipynb", "bytes": 1480},)"
                               R"({"kernel": "main1", "path": "/home/work/a\u001bb", "bytes": 51000}]})";
constexpr const char* kNone = R"({"files": 0, "bytes": 0, "complete": true, "unknown": [], "names": []})";

TEST(LossesText, NamesSomeAndCountsTheRest) {
  EXPECT_EQ(losses_text("demo", json::parse(kThree), 10),
            "demo: 3 files (51.2 KiB) outside folders end with the session:\n"
            "  /home/work/Untitled.ipynb  1.4 KiB\n"
            "  /home/work/a?b  49.8 KiB\n"
            "  and 1 more\n");
  EXPECT_EQ(losses_text("demo", json::parse(kThree), 0),
            "demo: 3 files (51.2 KiB) outside folders end with the session\n");
  EXPECT_EQ(losses_text("demo", json::parse(kNone), 10), "");
}

TEST(LossesText, SaysWhereNotAllIsKnown) {
  EXPECT_EQ(
      losses_text("demo", json::parse(R"({"files": 1, "bytes": 1, "complete": false, "names": []})"), 9),
      "demo: at least 1 file (1 B) outside folders ends with the session\n");
  EXPECT_EQ(
      losses_text("demo", json::parse(R"({"files": 0, "bytes": 0, "complete": false, "names": []})"), 9),
      "demo: files outside folders may end with the session: not all could be looked at\n");
}

TEST(LossesText, NamesKernelsWhereThereAreSeveral) {
  const auto two = json::parse(R"({"files": 2, "bytes": 2, "complete": true, "names": [)"
                               R"({"kernel": "main1", "path": "/a", "bytes": 1},)"
                               R"({"kernel": "main2", "path": "/a", "bytes": 1}]})");
  EXPECT_EQ(losses_text("demo", two, 9),
            "demo: 2 files (2 B) outside folders end with the session:\n  main1:/a  1 B\n  main2:/a  1 B\n");
}

// A terminal for stdin and stdout, and a server whose session "demo" has files.
class EndOnATerminal : public ::testing::Test {
 protected:
  EndOnATerminal() {
    EXPECT_EQ(::openpty(&hand_, &terminal_, nullptr, nullptr, nullptr), 0);
    w.descriptors.in = terminal_;
    w.terminal = true;
    w.server.answer = [this](const HttpRequest& request) -> Result<HttpReply> {
      if (request.method == "DELETE") {
        ++ended;
        return json_reply(
            R"({"session": {"id": "1", "name": "demo", "status": "TERMINATING"}, "position": 1})");
      }
      if (request.target.ends_with("/losses")) return losses;
      return problem(404, "unknown-session");
    };
  }
  ~EndOnATerminal() override {
    ::close(hand_);
    ::close(terminal_);
  }

  FakeWorld w;
  Result<HttpReply> losses = json_reply(kThree);
  int ended = 0;

 private:
  int hand_ = -1, terminal_ = -1;
};

TEST_F(EndOnATerminal, AsksAndEndsNothingUnlessItIsToldTo) {
  for (const char* no : {"n", "", "yeah"}) {
    w.typed = {no};
    const auto ran = w.run({"session", "end", "demo"});
    EXPECT_EQ(ran.exit, kFailed) << no;
    EXPECT_NE(ran.err.find("not-confirmed"), std::string::npos) << ran.err;
  }
  EXPECT_EQ(ended, 0);
  w.typed = {"y"};
  EXPECT_EQ(w.run({"session", "end", "demo"}).exit, 0);
  EXPECT_EQ(ended, 1);
  EXPECT_TRUE(w.typed.empty());
}

TEST_F(EndOnATerminal, DoesNotAskWhereNothingEndsOrWhoeverEndsSaysYes) {
  w.typed = {"n"};
  EXPECT_EQ(w.run({"session", "rm", "demo", "--yes"}).exit, 0);
  EXPECT_EQ(w.server.requests.size(), 1u) << "nobody looks either";
  losses = json_reply(kNone);
  EXPECT_EQ(w.run({"session", "rm", "demo"}).exit, 0);
  losses = problem(409, "session-ended");
  EXPECT_EQ(w.run({"session", "rm", "demo"}).exit, 0);
  losses = problem(404, "no-such-route");
  EXPECT_EQ(w.run({"session", "rm", "demo"}).exit, 0) << "an older server";
  EXPECT_EQ(ended, 4);
  EXPECT_EQ(w.typed.size(), 1u);
}

TEST_F(EndOnATerminal, AsksWhereNobodyKnowsAndEndsAllTheSame) {
  losses = problem(503, "agent-unreachable", "agent a1 does not answer");
  w.typed = {"n"};
  EXPECT_EQ(w.run({"session", "rm", "demo"}).exit, kFailed);
  EXPECT_EQ(w.server.requests.size(), 1u);  // nobody waits for an agent that does not answer
  w.typed = {"y"};
  EXPECT_EQ(w.run({"session", "rm", "demo"}).exit, 0);
  EXPECT_EQ(ended, 1);
}

TEST_F(EndOnATerminal, DoesNotAskWhereNoPersonLooks) {
  w.typed = {"n"};
  w.terminal = false;  // `x=$(berth session rm demo)`
  EXPECT_EQ(w.run({"session", "rm", "demo"}).exit, 0);
  w.terminal = true;
  w.descriptors.in = -1;
  EXPECT_EQ(w.run({"session", "rm", "demo"}).exit, 0);
  EXPECT_EQ(ended, 2);
  EXPECT_EQ(w.typed.size(), 1u);
}

TEST_F(EndOnATerminal, LooksAtTenOfManyAtMost) {
  std::vector<std::string> words{"session", "rm"};
  for (int i = 0; i < 12; ++i) words.push_back("s" + std::to_string(i));
  w.typed = {"y"};
  EXPECT_EQ(w.run(words).exit, 0);
  EXPECT_EQ(w.server.requests.size(), 10u + 12u);
}

TEST(Losses, AreListedWithTheirSum) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) { return Result<HttpReply>(json_reply(kThree)); };
  const auto ran = w.run({"session", "losses", "demo"});
  EXPECT_EQ(w.server.requests[0].target, "/v1/sessions/demo/losses");
  EXPECT_EQ(ran.out,
            "KERNEL  PATH                           SIZE\n"
            "main1   /home/work/Untitled.ipynb   1.4 KiB\n"
            "main1   /home/work/a?b             49.8 KiB\n");
  EXPECT_EQ(ran.err,
            "3 files (51.2 KiB) outside folders end with the session; those of the home and the newest are "
            "named\n");
  EXPECT_EQ(w.run({"session", "losses", "demo", "-o", "name"}).out.substr(0, 26),
            "/home/work/Untitled.ipynb\n");
  const auto whole = json::parse(w.run({"session", "losses", "demo", "-o", "json"}).out);
  EXPECT_EQ(whole.at("files").as_int64(), 3);
}

TEST(Losses, OfKernelsThatDidNotAnswerAreSaid) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(json_reply(
        R"({"files": 0, "bytes": 0, "complete": false, "names": [], "unknown": [{"kernel": "main2", "code": "agent-timeout"}]})"));
  };
  const auto ran = w.run({"session", "losses", "demo"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "files outside folders may end with the session: not all could be looked at\n"
            "kernel main2 did not answer: agent-timeout\n");
}

}  // namespace
}  // namespace berth::cli
