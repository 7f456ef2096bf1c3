// berth user, project, domain, key, whoami.
#include <gtest/gtest.h>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

namespace json = boost::json;

constexpr const char* kAlice =
    R"({"name": "alice", "display_name": "Alice L", "domain": "default", "role": "user", "disabled": false,
        "projects": [{"project": "ml", "domain": "default", "admin": true}, {"project": "web", "domain": "default",
        "admin": false}], "has_password": false, "link_expires_at": null, "sessions": 2})";
constexpr const char* kMl =
    R"({"domain": "lab", "name": "ml", "display_name": "", "sessions": 0,
        "members": [{"user": "alice", "admin": true}, {"user": "bob", "admin": false}]})";
constexpr const char* kKey =
    R"({"id": "BK1", "user": "alice", "name": "nightly", "active": true, "read_only": false,
        "created_at": "2026-01-01T00:00:00Z", "used_at": null, "expires_at": "2026-04-01T00:00:00Z"})";

constexpr const char* kProducer =
    R"({"name": "web", "display_name": "", "generation": 1, "requests": ["request_session"], "disabled": false,
        "owners": [{"scope": "user", "id": "alice"}, {"scope": "cluster", "id": null}], "created_at": null,
        "made_by": "admin", "token_expires_at": null})";

HttpReply people_reply(const HttpRequest& request) {
  const auto is = [&](const std::string& path) { return request.target.starts_with(path); };
  const auto changed = [](const char* member, const char* item) {
    return json_reply(std::string(R"({"position": 9, ")") + member + R"(": )" + item + "}");
  };
  if (is("/v1/whoami"))
    return json_reply(R"({"user": "carol", "display_name": "Carol", "domain": "lab", "role": "domain-admin",
        "project": "ml", "projects": [{"project": "ml", "domain": "lab", "admin": true}], "access_key": "BK1",
        "read_only": false, "rights": {"session.see": "domain", "session.end": "domain", "session.create": "own",
        "agent.create": "none", "image.see": "all"}})");
  if (is("/v1/users/alice/link"))
    return json_reply(R"({"url": "http://h/#/link/T", "token": "T", "expires_at": "2026-01-02T00:00:00Z",
        "position": 9})",
                      201);
  if (request.method == "GET" && is("/v1/users/alice")) return json_reply(kAlice);
  if (request.method == "GET" && is("/v1/projects/lab/ml")) return json_reply(kMl);
  if (request.method == "GET" && is("/v1/users"))
    return json_reply(std::string(R"({"users": [)") + kAlice + "]}");
  if (request.method == "GET" && is("/v1/projects"))
    return json_reply(std::string(R"({"projects": [)") + kMl + "]}");
  if (request.method == "GET" && is("/v1/domains/lab")) return json_reply(R"({"name": "lab"})");
  if (request.method == "GET" && is("/v1/domains")) return json_reply(R"({"domains": [{"name": "lab"}]})");
  if (request.method == "GET" && is("/v1/keys"))
    return json_reply(std::string(R"({"keys": [)") + kKey + "]}");
  if (is("/v1/users")) return changed("user", kAlice);
  if (is("/v1/projects")) return changed("project", kMl);
  if (is("/v1/domains"))
    return changed("domain", R"({"name": "lab", "users": 1, "projects": 1, "sessions": 0})");
  if (request.method == "POST" && is("/v1/keys"))
    return json_reply(std::string(R"({"position": 9, "secret_key": "s3cret", "key": )") + kKey + "}", 201);
  if (is("/v1/keys")) return changed("key", kKey);
  if (is("/v1/producers")) return changed("producer", kProducer);
  return problem(404, "no-such-route");
}

class PeopleCommands : public ::testing::Test {
 protected:
  PeopleCommands() {
    world.server.answer = [](const HttpRequest& request) { return Result<HttpReply>(people_reply(request)); };
  }
  // "METHOD TARGET BODY" of the last request.
  std::string asked(const std::vector<std::string>& words) {
    world.server.requests.clear();
    ran = world.run(words);
    EXPECT_EQ(ran.exit, kOk) << ran.err;
    if (world.server.requests.empty()) return {};
    const auto& last = world.server.requests.back();
    return last.method + " " + last.target + (last.body.empty() ? "" : " " + last.body);
  }
  FakeWorld world;
  Ran ran;
};

TEST_F(PeopleCommands, AddMakesAUserAndShowsTheLinkThatLetsThemIn) {
  asked({"user", "add", "alice", "--project", "ml", "--project", "web", "--domain", "default", "--role",
         "user", "--display-name", "Alice L", "--reason", "new here"});
  ASSERT_EQ(world.server.requests.size(), 2u);
  EXPECT_EQ(world.server.requests[0].target, "/v1/users?reason=new%20here");
  EXPECT_EQ(
      world.server.requests[0].body,
      R"({"name":"alice","domain":"default","role":"user","display_name":"Alice L","projects":["ml","web"]})");
  EXPECT_EQ(world.server.requests[1].target, "/v1/users/alice/link");
  EXPECT_NE(ran.out.find("ml (admin), web"), std::string::npos) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("\nhttp://h/#/link/T\n")) << ran.out;
  asked({"user", "add", "alice", "-o", "json"});
  EXPECT_EQ(json::parse(ran.out).at("link").at("url"), "http://h/#/link/T");
  EXPECT_EQ(asked({"user", "add", "alice", "--no-link"}), R"(POST /v1/users {"name":"alice"})");
}

TEST_F(PeopleCommands, AUserWhoseLinkFailsIsMadeAllTheSame) {
  world.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    return request.target.ends_with("/link") ? problem(403, "denied") : people_reply(request);
  };
  const Ran failed = world.run({"user", "add", "alice"});
  EXPECT_EQ(failed.exit, kDenied);
  EXPECT_NE(failed.out.find("alice"), std::string::npos) << failed.out;
  EXPECT_NE(failed.err.find("berth login-link alice"), std::string::npos) << failed.err;
}

TEST_F(PeopleCommands, SetSendsOnlyWhatIsSaid) {
  EXPECT_EQ(asked({"user", "set", "alice", "--disable", "--reason", "left"}),
            R"(PATCH /v1/users/alice?reason=left {"disabled":true})");
  EXPECT_EQ(asked({"user", "set", "alice", "--enable", "--role", "monitor"}),
            R"(PATCH /v1/users/alice {"role":"monitor","disabled":false})");
  EXPECT_EQ(asked({"user", "set", "alice", "--display-name", ""}),
            R"(PATCH /v1/users/alice {"display_name":""})");
  world.server.requests.clear();
  EXPECT_EQ(world.run({"user", "set", "alice"}).exit, kUsage);
  EXPECT_EQ(world.run({"user", "set", "alice", "--disable", "--enable"}).exit, kUsage);
  EXPECT_EQ(world.run({"user", "set", "alice", "--role", "king"}).exit, kUsage);
  EXPECT_TRUE(world.server.requests.empty());
}

TEST_F(PeopleCommands, ShowsAndRemovesUsers) {
  EXPECT_EQ(asked({"user", "show", "alice"}), "GET /v1/users/alice");
  EXPECT_NE(ran.out.find("PROJECTS      ml (admin), web\n"), std::string::npos) << ran.out;
  EXPECT_EQ(asked({"user", "ls", "--project", "default/ml"}).substr(0, 36),
            "GET /v1/users?project=default%2Fml&l");
  EXPECT_EQ(asked({"user", "rm", "alice", "--end-sessions", "--reason", "x"}),
            "DELETE /v1/users/alice?end_sessions=true&reason=x");
  EXPECT_EQ(ran.out, "alice\n");
}

class RemovalThatEndsSessions : public PeopleCommands {
 protected:
  RemovalThatEndsSessions() {
    world.server.answer = [this](const HttpRequest& request) -> Result<HttpReply> {
      if (left-- > 0) return problem(409, "sessions-ending", "2 sessions of it are ending", "ask again");
      return people_reply(request);
    };
  }
  int left = 2;  // refusals
};

TEST_F(RemovalThatEndsSessions, IsAskedAgainUntilTheyHaveEnded) {
  const Ran removed = world.run({"user", "rm", "alice", "--end-sessions"});
  EXPECT_EQ(removed.exit, kOk) << removed.err;
  EXPECT_EQ(removed.out, "alice\n");
  EXPECT_NE(removed.err.find("2 sessions of it are ending"), std::string::npos) << removed.err;
  ASSERT_EQ(world.server.requests.size(), 3u);
  EXPECT_EQ(world.server.requests[2].target, "/v1/users/alice?end_sessions=true");
  EXPECT_NE(header_of(world.server.requests[1], "Idempotency-Key"),
            header_of(world.server.requests[2], "Idempotency-Key"));
  EXPECT_EQ(world.server.pauses_ms.size(), 2u);
}

TEST_F(RemovalThatEndsSessions, WaitsForTheAutomaticFolderTooAndOnlyThen) {
  world.server.answer = [this](const HttpRequest& request) -> Result<HttpReply> {
    if (left-- > 0)
      return problem(409, "folder-purging", "the automatic folder is being removed", "ask again");
    return people_reply(request);
  };
  EXPECT_EQ(world.run({"user", "rm", "alice", "--end-sessions"}).exit, kOk);
  EXPECT_EQ(world.server.requests.size(), 3u);
  left = 1;
  EXPECT_NE(world.run({"user", "rm", "alice"}).exit, kOk);
}

TEST_F(RemovalThatEndsSessions, ACtrlCEndsTheWaitAloneAndSaysHowToGoOn) {
  world.server.pauses_until_interrupt = 0;
  const Ran stopped = world.run({"project", "rm", "lab/ml", "--end-sessions"});
  EXPECT_EQ(stopped.exit, kTimeout);
  EXPECT_EQ(stopped.out, "");
  EXPECT_NE(stopped.err.find("the same command again removes it"), std::string::npos) << stopped.err;
}

TEST_F(RemovalThatEndsSessions, WaitsNoLongerThanItsTimeout) {
  left = 1'000;
  const Ran late = world.run({"domain", "rm", "lab", "--end-sessions", "--timeout", "0s"});
  EXPECT_EQ(late.exit, kTimeout);
  EXPECT_NE(late.err.find("berth: timeout"), std::string::npos) << late.err;
  EXPECT_NE(late.err.find("the same command again removes it"), std::string::npos) << late.err;
  EXPECT_EQ(world.server.requests.size(), 1u);
}

TEST_F(RemovalThatEndsSessions, OfAGroupToo) {
  world.server.answer = [](const HttpRequest&) {
    return Result<HttpReply>(json_reply(R"({"position": 9})"));
  };
  EXPECT_EQ(asked({"group", "rm", "gpu", "--end-sessions", "--reason", "old"}),
            "DELETE /v1/groups/gpu?end_sessions=true&reason=old");
}

TEST_F(PeopleCommands, AProjectWithoutADomainIsOneOfOnesOwn) {
  EXPECT_EQ(asked({"project", "show", "ml"}), "GET /v1/projects/lab/ml");
  EXPECT_NE(ran.out.find("alice (admin), bob"), std::string::npos) << ran.out;
  EXPECT_EQ(asked({"project", "set", "other/ml", "--display-name", "M"}),
            R"(PATCH /v1/projects/other/ml {"display_name":"M"})");
  EXPECT_EQ(asked({"project", "add", "ml"}), R"(POST /v1/projects {"name":"ml"})");
  EXPECT_EQ(asked({"project", "add", "lab/ml", "--display-name", "M"}),
            R"(POST /v1/projects {"name":"ml","domain":"lab","display_name":"M"})");
  EXPECT_EQ(asked({"project", "rm", "ml", "--end-sessions"}), "DELETE /v1/projects/lab/ml?end_sessions=true");
}

TEST_F(PeopleCommands, MembersJoinAndLeave) {
  EXPECT_EQ(asked({"project", "member", "add", "ml", "bob"}),
            R"(PUT /v1/projects/lab/ml/members/bob {"level":"member"})");
  EXPECT_EQ(asked({"project", "member", "add", "default/ml", "bob", "--admin", "--reason", "x"}),
            R"(PUT /v1/projects/default/ml/members/bob?reason=x {"level":"admin"})");
  EXPECT_EQ(asked({"project", "member", "rm", "ml", "bob"}), "DELETE /v1/projects/lab/ml/members/bob");
}

TEST_F(PeopleCommands, DomainsAreMadeNamedAndRemoved) {
  EXPECT_EQ(asked({"domain", "add", "lab", "--display-name", "L"}),
            R"(POST /v1/domains {"name":"lab","display_name":"L"})");
  EXPECT_EQ(asked({"domain", "set", "lab", "--display-name", "L", "--reason", "x"}),
            R"(PATCH /v1/domains/lab?reason=x {"display_name":"L"})");
  EXPECT_EQ(asked({"domain", "show", "lab"}), "GET /v1/domains/lab");
  EXPECT_EQ(asked({"domain", "rm", "lab"}), "DELETE /v1/domains/lab");
}

TEST_F(PeopleCommands, AProducerIsRegisteredWithAScopeAndAToken) {
  const std::string sent = asked({"producer", "add", "web", "--request", "request_session", "--owner",
                                  "user:alice", "--owner", "cluster"});
  EXPECT_TRUE(
      sent.starts_with(R"(POST /v1/producers {"name":"web","requests":["request_session"],)"
                       R"("owners":[{"scope":"user","id":"alice"},{"scope":"cluster"}],"token_hash":")"))
      << sent;
  EXPECT_NE(ran.out.find("TOKEN"), std::string::npos) << ran.out;
  EXPECT_EQ(asked({"producer", "set", "web", "--disable", "--reason", "leaked"}),
            R"(PATCH /v1/producers/web?reason=leaked {"disabled":true})");
  EXPECT_TRUE(
      asked({"producer", "rotate", "web"}).starts_with(R"(POST /v1/producers/web/rotate {"token_hash":")"));
  EXPECT_EQ(asked({"producer", "rm", "web"}), "DELETE /v1/producers/web");
  for (const std::vector<std::string>& half : {std::vector<std::string>{"producer", "add", "web"},
                                               {"producer", "set", "web"},
                                               {"producer", "set", "web", "--request", "request_session"}}) {
    world.server.requests.clear();
    EXPECT_EQ(world.run(half).exit, kUsage);
    EXPECT_TRUE(world.server.requests.empty());
  }
}

TEST_F(PeopleCommands, AKeyPairsSecretIsShownOnceAndWhole) {
  world.terminal = true;
  EXPECT_EQ(
      asked({"key", "add", "--name", "nightly", "--user", "alice", "--expires-in", "90d", "--read-only"}),
      R"(POST /v1/keys {"name":"nightly","user":"alice","expires_in":"90d","read_only":true})");
  EXPECT_NE(ran.out.find("access key  BK1\nsecret key  s3cret\n"), std::string::npos) << ran.out;
  world.terminal = false;
  asked({"key", "add", "--name", "nightly", "-o", "json"});
  EXPECT_EQ(json::parse(ran.out).at("secret_key"), "s3cret");
  asked({"key", "ls"});
  EXPECT_EQ(ran.out.find("s3cret"), std::string::npos);
}

TEST_F(PeopleCommands, AKeyFileHoldsTheSecretThatIsNotShown) {
  asked({"key", "add", "--name", "nightly", "--out", "/home/u/k.json"});
  EXPECT_EQ(world.files["/home/u/k.json"],
            R"({"access_key":"BK1","secret_key":"s3cret","endpoint":"http://127.0.0.1:7410"})"
            "\n");
  EXPECT_EQ((ran.out + ran.err).find("s3cret"), std::string::npos);
  world.server.requests.clear();
  EXPECT_EQ(world.run({"key", "add", "--name", "x", "--out", "/home/u/k.json"}).exit, kUsage);
  EXPECT_TRUE(world.server.requests.empty());
}

TEST_F(PeopleCommands, AKeyPairWhoseFileCannotBeWrittenIsRemovedAgain) {
  world.unwritable = "/home/u/k.json";
  const Ran failed = world.run({"key", "add", "--name", "x", "--out", "/home/u/k.json"});
  EXPECT_EQ(failed.exit, kFailed);
  EXPECT_EQ(world.server.requests.back().method + " " + world.server.requests.back().target,
            "DELETE /v1/keys/BK1");
}

TEST_F(PeopleCommands, KeyPairsAreSwitchedOffAndOn) {
  EXPECT_EQ(asked({"key", "off", "BK1", "--reason", "leaked"}),
            R"(PATCH /v1/keys/BK1?reason=leaked {"active":false})");
  EXPECT_EQ(asked({"key", "on", "BK1"}), R"(PATCH /v1/keys/BK1 {"active":true})");
  EXPECT_EQ(asked({"key", "rm", "BK1"}), "DELETE /v1/keys/BK1");
}

TEST_F(PeopleCommands, WhoamiSaysWhereRightsGoBeyondOnesOwn) {
  asked({"whoami"});
  EXPECT_NE(ran.out.find("ROLE          domain-admin\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("PROJECTS      ml (admin)\n"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("session          see, end  domain\n"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("agent"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("create"), std::string::npos) << ran.out;
  asked({"whoami", "-o", "name"});
  EXPECT_EQ(ran.out, "carol\n");
}

TEST_F(PeopleCommands, NamesAreCompleted) {
  const auto completed_by_server = [this](std::vector<std::string> words) {
    words.insert(words.begin(), {"__complete", "--"});
    return world.run(words).out;
  };
  EXPECT_EQ(completed_by_server({"user", "show", ""}), "alice\n");
  EXPECT_EQ(completed_by_server({"project", "member", "add", "l"}), "lab/ml\n");
  EXPECT_EQ(completed_by_server({"project", "member", "add", "lab/ml", "a"}), "alice\n");
  EXPECT_EQ(completed_by_server({"domain", "rm", ""}), "lab\n");
  EXPECT_EQ(completed_by_server({"key", "off", ""}), "BK1\n");
  EXPECT_EQ(completed_by_server({"user", "set", "alice", "--role", "mo"}), "monitor\n");
}

}  // namespace
}  // namespace berth::cli
