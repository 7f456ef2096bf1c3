// Sharing sessions from the command line, and how shared ones are shown.
#include <gtest/gtest.h>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

json::object shared_with(json::array shares, bool with_me = false) {
  json::object s = session("demo", "RUNNING");
  s["shares"] = std::move(shares);
  s["shared"] = with_me;
  return s;
}

const json::array kBobAndMl = {json::object{{"user", "bob"}}, json::object{{"project", "default/ml"}}};

// Answers all with this body.
FakeWorld world_of(const json::value& body) {
  FakeWorld w;
  w.server.answer = [text = json::serialize(body)](const HttpRequest&) {
    return Result<HttpReply>(json_reply(text));
  };
  return w;
}

TEST(SessionShareCommands, SayWhomInOneRequest) {
  FakeWorld w = world_of(json::object{{"session", shared_with(kBobAndMl)}, {"position", 7}});
  for (const auto& [words, body] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"share", "demo", "--user", "bob"}, R"({"user":"bob"})"},
           {{"share", "demo", "--project", "ml"}, R"({"project":"ml"})"},
           {{"unshare", "demo", "-u", "bob"}, R"({"user":"bob","withdraw":true})"}}) {
    std::vector<std::string> all{"session"};
    all.insert(all.end(), words.begin(), words.end());
    w.server.requests.clear();
    const auto ran = w.run(all);
    EXPECT_EQ(ran.exit, 0) << ran.err;
    ASSERT_EQ(w.server.requests.size(), 1u);
    EXPECT_EQ(w.server.requests[0].method + " " + w.server.requests[0].target,
              "PUT /v1/sessions/demo/shares");
    EXPECT_EQ(w.server.requests[0].body, body);
    EXPECT_NE(ran.out.find("with bob, project default/ml"), std::string::npos) << ran.out;
  }
}

TEST(SessionShareCommands, AskForOneOfBoth) {
  FakeWorld w = world_of(json::object());
  for (const char* verb : {"share", "unshare"}) {
    EXPECT_EQ(w.run({"session", verb, "demo"}).exit, kUsage);
    EXPECT_EQ(w.run({"session", verb, "demo", "--user", "bob", "--project", "ml"}).exit, kUsage);
    EXPECT_EQ(w.run({"session", verb}).exit, kUsage);
  }
  EXPECT_TRUE(w.server.requests.empty());
}

TEST(SessionShareCommands, LsHasAColumnWhereAnythingIsShared) {
  FakeWorld none = world_of(json::object{{"sessions", json::array{shared_with({})}}});
  EXPECT_EQ(none.run({"session", "ls"}).out.find("SHARED"), std::string::npos);
  FakeWorld some = world_of(json::object{{"sessions", json::array{shared_with({}), shared_with({}, true)}}});
  const auto ran = some.run({"session", "ls", "--shared"});
  EXPECT_NE(some.server.requests[0].target.find("shared=true"), std::string::npos);
  EXPECT_NE(ran.out.find("SHARED"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("by admin"), std::string::npos) << ran.out;
}

TEST(SessionShareCommands, ShowSaysByWhomOrWithWhom) {
  EXPECT_NE(world_of(shared_with(kBobAndMl))
                .run({"session", "show", "demo"})
                .out.find("Shared        with bob, project default/ml\n"),
            std::string::npos);
  EXPECT_NE(
      world_of(shared_with({}, true)).run({"session", "show", "demo"}).out.find("Shared        by admin\n"),
      std::string::npos);
  EXPECT_EQ(world_of(shared_with({})).run({"session", "show", "demo"}).out.find("Shared"), std::string::npos);
}

}  // namespace
}  // namespace berth::cli
