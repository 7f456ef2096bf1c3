// berth login, logout, context, login-link, user passwd.
#include <gtest/gtest.h>

#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

constexpr const char* kContexts = "/home/u/contexts.json";

// A server that takes alice's password, and whoever signs with the key that it gave.
HttpReply answer(const HttpRequest& request) {
  const bool signed_by_key = header_of(request, "Authorization").find("key=BK1") != std::string::npos;
  if (request.target == "/v1/login/key") {
    if (request.body.find("four words") == std::string::npos) return problem(401, "login-failed");
    return json_reply(
        R"({"access_key": "BK1", "secret_key": "s3cret", "expires_at": "2026-04-01T00:00:00Z"})", 201);
  }
  if (!signed_by_key) return problem(401, "unknown-key");
  if (request.target == "/v1/whoami") return json_reply(R"({"user": "alice"})");
  if (request.target == "/v1/users/alice/password") return json_reply(R"({"position": 9})");
  if (request.target.starts_with("/v1/users/") && request.target.ends_with("/link"))
    return json_reply(R"({"url": "http://h/#/link/T", "token": "T", "expires_at": "2026-01-02T00:00:00Z"})",
                      201);
  if (request.method == "DELETE") return json_reply(R"({"position": 9})");
  return problem(404, "no-such-route");
}

class LoginCommand : public ::testing::Test {
 protected:
  LoginCommand() {
    world.keys.clear();
    world.server.answer = [](const HttpRequest& request) { return Result<HttpReply>(answer(request)); };
  }
  Ran log_in() {
    world.typed = {"alice", "four words"};
    return world.run({"login", "http://10.0.0.5:7500", "--insecure-http"});
  }
  FakeWorld world;
};

TEST_F(LoginCommand, AsksOnTheTerminalAndKeepsAKeyPairForTheCommandsThatFollow) {
  const Ran ran = log_in();
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  EXPECT_EQ(
      world.server.requests.front().body,
      R"({"user":"alice","password":"four words","name":"lap-top","expires_in":"90d","read_only":false})");
  EXPECT_EQ(ran.out + ran.err,
            "logged in to http://10.0.0.5:7500 as alice until 2026-04-01 00:00:00Z, context "
            "10.0.0.5:7500\n");
  EXPECT_NE(world.files[kContexts].find("s3cret"), std::string::npos);
  EXPECT_EQ(world.run({"login-link", "bob"}).out, "http://h/#/link/T\n");
  EXPECT_EQ(world.server.host_port, "10.0.0.5:7500");
}

TEST_F(LoginCommand, ALinkSetsThePasswordFirst) {
  world.server.answer = [](const HttpRequest& request) {
    if (request.target == "/v1/login/link/check")
      return Result<HttpReply>(json_reply(R"({"user": "alice", "expires_at": "2026-04-01T00:00:00Z"})"));
    if (request.target == "/v1/login/link") return Result<HttpReply>(json_reply(R"({"user": {}})"));
    return Result<HttpReply>(answer(request));
  };
  world.typed = {"four words", "four words"};
  const Ran ran = world.run({"login", "http://10.0.0.5:7500/#/link/T0ken", "--insecure-http"});
  EXPECT_EQ(ran.exit, kOk) << ran.err;
  ASSERT_EQ(world.server.requests.size(), 3u);
  EXPECT_EQ(world.server.requests[1].body, R"({"token":"T0ken","password":"four words"})");
  EXPECT_EQ(world.server.requests[2].target, "/v1/login/key");
  EXPECT_EQ(world.server.host_port, "10.0.0.5:7500");
  world.typed = {"four words", "five words"};
  EXPECT_EQ(world.run({"login", "http://10.0.0.5:7500/#/link/T0ken", "--insecure-http"}).exit, kUsage);
}

TEST_F(LoginCommand, AnotherUserOfAServerHasAContextOfItsOwn) {
  log_in();
  world.typed = {"bob", "four words"};
  EXPECT_NE(
      world.run({"login", "http://10.0.0.5:7500", "--insecure-http"}).err.find("context bob@10.0.0.5:7500"),
      std::string::npos);
  EXPECT_NE(world.run({"context", "ls"}).out.find("alice"), std::string::npos);
  EXPECT_NE(log_in().err.find("berth key rm BK1"), std::string::npos);
}

TEST_F(LoginCommand, ReadsThePasswordFromStandardInput) {
  world.files["-"] = "four words\n";
  EXPECT_EQ(world.run({"login", "https://h:1", "--user", "alice", "--password-stdin"}).exit, kOk);
  EXPECT_EQ(world.run({"login", "https://h:1", "--password-stdin"}).exit, kUsage);
  world.files["-"] = "\n";
  EXPECT_EQ(world.run({"login", "https://h:1", "--user", "alice", "--password-stdin"}).exit, kUsage);
}

TEST_F(LoginCommand, SendsNoPasswordInClearToAnotherMachine) {
  world.files["-"] = "four words\n";
  const auto log_in_to = [&](const std::string& url) {
    return world.run({"login", url, "--user", "alice", "--password-stdin"});
  };
  for (const char* url :
       {"http://192.0.2.2:17797", "192.0.2.2:17797", "http://berth.example", "http://127.evil.example",
        "http://localhost.evil.example", "http://[2001:db8::1]:7410"}) {
    const Ran ran = log_in_to(url);
    EXPECT_EQ(ran.exit, kUsage) << url;
    EXPECT_NE(ran.err.find("--insecure-http"), std::string::npos) << ran.err;
  }
  EXPECT_TRUE(world.server.requests.empty());
  EXPECT_FALSE(world.files.contains(kContexts));
  for (const char* url : {"http://127.0.0.1:7410", "http://127.1.2.3", "localhost:1", "http://[::1]:7410",
                          "https://192.0.2.2:17797"})
    EXPECT_EQ(log_in_to(url).exit, kOk) << url;
  EXPECT_EQ(log_in().exit, kOk) << "with --insecure-http";
}

TEST_F(LoginCommand, AWrongPasswordKeepsNothing) {
  world.typed = {"alice", "wrong"};
  EXPECT_EQ(world.run({"login", "https://h:1"}).exit, kDenied);
  EXPECT_FALSE(world.files.contains(kContexts));
  EXPECT_NE(world.run({"login", "https://h:1", "--user", "alice"}).err.find("no-terminal"),
            std::string::npos);
}

TEST_F(LoginCommand, LogoutEndsTheKeyPairAndForgetsIt) {
  log_in();
  EXPECT_EQ(world.run({"logout"}).exit, kOk);
  EXPECT_EQ(world.server.requests.back().method, "DELETE");
  EXPECT_EQ(world.server.requests.back().target, "/v1/keys/BK1");
  EXPECT_EQ(world.files[kContexts].find("s3cret"), std::string::npos);
  EXPECT_EQ(world.run({"logout"}).exit, kUsage);
}

TEST_F(LoginCommand, AServerThatIsAwayKeepsTheContextUnlessItIsToBeForgotten) {
  log_in();
  world.server.answer = [](const HttpRequest&) { return Result<HttpReply>(problem(503, "stopping")); };
  world.server.pauses_until_interrupt = 0;
  EXPECT_NE(world.run({"logout"}).exit, kOk);
  EXPECT_NE(world.files[kContexts].find("s3cret"), std::string::npos);
  EXPECT_EQ(world.run({"logout", "--forget"}).exit, kOk);
  EXPECT_EQ(world.files[kContexts].find("s3cret"), std::string::npos);
}

TEST_F(LoginCommand, OnAServersMachineTheClustersFileMakesALink) {
  world.server.answer = [](const HttpRequest& request) {
    const bool by_host = header_of(request, "Authorization").find("key=cluster,") != std::string::npos;
    return Result<HttpReply>(by_host && request.target == "/v1/users/admin/link"
                                 ? json_reply(R"({"url": "http://h/#/link/T"})", 201)
                                 : problem(403, "denied"));
  };
  EXPECT_EQ(world.run({"login-link"}).exit, kDenied) << "there is neither a key nor a cluster's file";
  world.files["/var/lib/berth/cluster.json"] = "{}";
  EXPECT_EQ(world.run({"login-link"}).out, "http://h/#/link/T\n");
}

TEST_F(LoginCommand, OnAServersMachineTheClustersFileComesBeforeTheKeyPairBesideIt) {
  const std::string data = "/data";
  world.keys[data + "/keys/admin.json"] = {"admin-key", "of who may be disabled"};
  world.files[data + "/berth.endpoint"] = "http://h:1";
  const auto signer = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"login-link", "bob", "--data", data};
    words.insert(words.end(), more.begin(), more.end());
    world.run(words);
    return header_of(world.server.requests.back(), "Authorization");
  };
  EXPECT_NE(signer({}).find("key=admin-key,"), std::string::npos);
  world.files[data + "/cluster.json"] = "{}";
  EXPECT_NE(signer({}).find("key=cluster,"), std::string::npos);
  world.keys["mine.json"] = {"mine", "named"};
  EXPECT_NE(signer({"--key-file", "mine.json"}).find("key=mine,"), std::string::npos);
}

TEST_F(LoginCommand, ContextsAreListedWithoutTheirSecretsAndChosen) {
  log_in();
  world.typed = {"alice", "four words"};
  world.run({"login", "https://h:2", "--context", "other"});
  const Ran listed = world.run({"context", "ls", "-o", "json"});
  EXPECT_EQ(listed.out.find("s3cret"), std::string::npos);
  EXPECT_NE(listed.out.find("10.0.0.5:7500"), std::string::npos);
  EXPECT_EQ(world.run({"context", "use", "10.0.0.5:7500"}).exit, kOk);
  world.run({"login-link"});
  EXPECT_EQ(world.server.host_port, "10.0.0.5:7500");
  EXPECT_EQ(world.run({"context", "use", "nowhere"}).exit, kUsage);
}

TEST_F(LoginCommand, AContextYieldsToWhatIsNamed) {
  log_in();
  world.run({"login-link", "bob", "--endpoint", "http://h:9"});
  EXPECT_EQ(world.server.host_port, "h:9");
  world.files[kContexts] = "damaged";
  EXPECT_EQ(world.run({"context", "ls"}).exit, kUsage);
}

TEST_F(LoginCommand, APasswordIsChangedByTheOldOneAndTheNewOneTwice) {
  log_in();
  world.typed = {"four words", "five better words", "five better words"};
  EXPECT_EQ(world.run({"user", "passwd"}).exit, kOk);
  EXPECT_EQ(world.server.requests.back().body, R"({"old":"four words","new":"five better words"})");
  world.typed = {"four words", "five better words", "five bitter words"};
  EXPECT_EQ(world.run({"user", "passwd"}).exit, kUsage);
  world.files["-"] = "four words\nfive better words\n";
  EXPECT_EQ(world.run({"user", "passwd", "--password-stdin"}).exit, kOk);
}

TEST_F(LoginCommand, AContextOrConfigurationThatOthersMayWriteIsNotTaken) {
  for (const char* path : {kContexts, "/home/u/config.toml"}) {
    world.foreign = {path};
    const auto ran = world.run({"ps"});
    EXPECT_EQ(ran.exit, kFailed);
    EXPECT_NE(ran.err.find(std::string("others may write ") + path), std::string::npos) << ran.err;
    EXPECT_EQ(world.server.requests.size(), 0u);
  }
}

}  // namespace
}  // namespace berth::cli
