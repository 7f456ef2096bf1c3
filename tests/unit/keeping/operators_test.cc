// What operators ask the CLI for: history, sealing keys, error codes, man pages.
#include <gtest/gtest.h>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

TEST(Explain, SaysWhatACodeMeansAndWhatToDo) {
  FakeWorld w;
  const Ran ran = w.run({"explain", "log-truncated"});
  EXPECT_EQ(ran.exit, 0);
  EXPECT_NE(ran.out.find("The log ends before what was read of it"), std::string::npos) << ran.out;
  EXPECT_NE(w.run({"explain", "lease-over"}).out.find("heard no controller"), std::string::npos);
  EXPECT_EQ(w.run({"explain", "LEASE_OVER"}).out, w.run({"explain", "lease-over"}).out)
      << "as ends are shown";
  const Ran unknown = w.run({"explain", "log-truncatd"});
  EXPECT_EQ(unknown.exit, 3);
  EXPECT_NE(unknown.err.find("did you mean log-truncated?"), std::string::npos) << unknown.err;
  EXPECT_GT(json::parse(w.run({"explain", "-o", "json"}).out).as_array().size(), 300u);
}

TEST(Man, WritesAPageForEachCommandAndNoneForHiddenOnes) {
  FakeWorld w;
  const Ran ran = w.run({"man", "--to", "/man1"});
  ASSERT_EQ(ran.exit, 0) << ran.err;
  for (const char* page : {"berth", "berth-session", "berth-backup", "berth-explain"})
    EXPECT_TRUE(w.files.contains(std::string("/man1/") + page + ".1")) << page;
  EXPECT_FALSE(w.files.contains("/man1/berth-man.1"));
  EXPECT_NE(w.files["/man1/berth-session.1"].find(".SS \"berth session run\""), std::string::npos);
  for (const auto& [name, text] : w.files)
    EXPECT_EQ(text.find("\n'"), std::string::npos) << name << ": groff would take that line for a command";
}

TEST(History, ItsRuleIsANumberOfDaysOrForEver) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    if (request.method == "PUT") return json_reply(R"({"position": 9})");
    return json_reply(
        R"({"keep_days": 30, "pruned_before": null, "restored_from": null, "restored_at": null})");
  };
  EXPECT_EQ(w.run({"cluster", "history", "--keep", "30d"}).exit, 0);
  ASSERT_FALSE(w.server.requests.empty());
  EXPECT_EQ(json::parse(w.server.requests.front().body).at("keep_days"), 30);
  for (const char* bad : {"30", "d", "-3d", "0d", "a year", "999999d"})
    EXPECT_EQ(w.run({"cluster", "history", "--keep", bad}).exit, 2) << bad;
}

// The server's answers, one after the other, to what the command asks of the sealing keys.
struct Sealing {
  FakeWorld w;
  std::vector<std::string> asked;
  std::string state;
  int left = 0;

  explicit Sealing(std::string first) : state(std::move(first)) {
    w.server.answer = [this](const HttpRequest& request) -> Result<HttpReply> {
      if (request.method == "GET") return json_reply(state);
      asked.push_back(request.target.substr(request.target.rfind('/') + 1));
      if (asked.back() != "reseal") return json_reply(R"({"position": 9})");
      const int now = std::exchange(left, 0);
      return json_reply(json::serialize(json::object{{"resealed", now}, {"broken", 0}}));
    };
  }
};

TEST(RotateSeal, AddsAKeyWaitsUntilItSealsAndSealsWhatLivesWithIt) {
  Sealing s(R"({"sealing": 1, "newest": 1, "to_reseal": 0, "live": [1]})");
  int looks = 0;
  s.left = 5;
  const auto answer = s.w.server.answer;
  s.w.server.answer = [&](const HttpRequest& request) -> Result<HttpReply> {
    if (request.method == "GET" && !s.asked.empty())
      s.state = ++looks < 3 ? R"({"sealing": 1, "newest": 2, "to_reseal": 5, "live": [1, 2]})"
                            : R"({"sealing": 2, "newest": 2, "to_reseal": 5, "live": [1, 2]})";
    return answer(request);
  };
  const Ran ran = s.w.run({"key", "rotate", "seal"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(s.asked, (std::vector<std::string>{"keys", "reseal", "reseal"}));
  EXPECT_EQ(s.w.server.pauses_ms.size(), 2u);
}

TEST(RotateSeal, SealsAndDestroysNothingWhereTheNewestKeyIsNotLearned) {
  Sealing s(R"({"sealing": 1, "newest": 2, "to_reseal": 5, "live": [1, 2]})");
  const Ran ran = s.w.run({"key", "rotate", "seal", "--destroy-old"});
  EXPECT_EQ(ran.exit, 5) << ran.err;
  EXPECT_TRUE(s.asked.empty()) << "nothing is sealed anew or destroyed before the server has the key";
  EXPECT_NE(ran.err.find("seal-key-not-learned"), std::string::npos) << ran.err;
}

// A server says within seconds that it seals with the new key: it is waited for, and named in the end.
TEST(RotateSeal, WaitsForAServerThatSealsWithAnOlderKey) {
  for (const int late : {3, 1'000}) {
    Sealing s(R"({"sealing": 2, "newest": 2, "to_reseal": 0, "live": [1, 2]})");
    int refusals = 0;
    const auto answer = s.w.server.answer;
    s.w.server.answer = [&](const HttpRequest& request) -> Result<HttpReply> {
      if (request.target == "/v1/sealing/destroy" && refusals++ < late)
        return problem(409, "seal-key-not-learned", "server c2 sealed with key 1 when it was heard last");
      return answer(request);
    };
    const Ran ran = s.w.run({"key", "rotate", "seal", "--destroy-old"});
    EXPECT_EQ(ran.exit, late == 3 ? 0 : 5) << ran.err;
    EXPECT_EQ(ran.err.find("server c2 sealed with key 1") != std::string::npos, late != 3) << ran.err;
  }
}

TEST(RotateSeal, SealsAllAnewAndDestroysTheOlderKeys) {
  Sealing s(R"({"sealing": 2, "newest": 2, "to_reseal": 5, "live": [1, 2]})");
  s.left = 5;
  const Ran ran = s.w.run({"key", "rotate", "seal", "--destroy-old"});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(s.asked, (std::vector<std::string>{"reseal", "reseal", "destroy"}));
}

// A cluster of one agent and two producers, one of them switched off.
struct Writers {
  FakeWorld w;
  int agent = 1, producer = 1;

  Writers() {
    w.server.answer = [this](const HttpRequest& request) -> Result<HttpReply> {
      if (request.target.starts_with("/v1/agents"))
        return json_reply(json::serialize(
            json::object{{"agents", json::array{json::object{{"name", "a1"}, {"generation", agent}}}},
                         {"next_page_token", nullptr}}));
      return json_reply(json::serialize(json::object{
          {"producers",
           json::array{json::object{{"name", "web"}, {"generation", producer}, {"disabled", false}},
                       json::object{{"name", "off"}, {"generation", 4}, {"disabled", true}}}},
          {"next_page_token", nullptr}}));
    };
  }
  Ran rotate(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"key", "rotate", "writers"});
    return w.run(more);
  }
};

TEST(RotateWriters, NotesWhoseKeysAreOfTheSecretBeforeAndListsThem) {
  Writers s;
  const Ran ran = s.rotate();
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(s.w.writers_of_before,
            (WriterGenerations{{"agent:a1", 1}, {"producer:off", 4}, {"producer:web", 1}}));
  for (const char* writer : {"agent:a1", "producer:web"})
    EXPECT_NE(ran.out.find(writer), std::string::npos) << writer << " has not joined anew: " << ran.out;
  EXPECT_EQ(ran.out.find("producer:off"), std::string::npos) << "its key is good for nothing: " << ran.out;
  s.agent = 2;
  const Ran status = s.rotate({"--status"});
  EXPECT_EQ(status.exit, 0);
  EXPECT_EQ(status.out.find("agent:a1"), std::string::npos) << status.out;
  EXPECT_NE(status.out.find("producer:web"), std::string::npos) << status.out;
}

TEST(RotateWriters, EndsWhenAllHaveJoinedAnewOrByForce) {
  Writers s;
  EXPECT_EQ(s.rotate({"--finish"}).exit, 5) << "none is under way";
  EXPECT_EQ(s.rotate({"--force"}).exit, 2);
  ASSERT_EQ(s.rotate().exit, 0);
  const Ran early = s.rotate({"--finish"});
  EXPECT_EQ(early.exit, 5);
  EXPECT_NE(early.err.find("writers-missing"), std::string::npos) << early.err;
  EXPECT_TRUE(s.w.writers_of_before.has_value());
  EXPECT_EQ(s.rotate({"--finish", "--force"}).exit, 0);
  EXPECT_FALSE(s.w.writers_of_before.has_value());
  ASSERT_EQ(s.rotate().exit, 0);
  s.agent = s.producer = 2;
  EXPECT_EQ(s.rotate({"--finish"}).exit, 0);
}

}  // namespace
}  // namespace berth::cli
