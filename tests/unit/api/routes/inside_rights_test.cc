// Who may open streams into kernels, how many, and what cuts them.
#include <chrono>
#include <thread>

#include "controller/api/auth/cookie.h"
#include "tests/unit/api/support/inside_rig.h"

namespace berth::testing {
namespace {

class InsideRights : public InsideRig {};

// ---- who may ----

TEST_F(InsideRights, AGetThatAsksForNoWebSocketIsTold) {
  const auto reply = rig.ask({.target = "/v1/sessions/s1/exec", .key = "alice-key"});
  EXPECT_EQ(reply.status, 426u);
  EXPECT_EQ(ApiRig::code_of(reply), "upgrade-required");
  EXPECT_EQ(ApiRig::header_of(reply, "Upgrade"), "websocket");
  const auto bent = [&](const std::function<void(api::HttpRequest&)>& bend) {
    auto request = stream_request(rig, "shell");
    bend(request);
    return ApiRig::code_of(rig.send(std::move(request)));
  };
  EXPECT_EQ(bent([](auto& r) { r.connection = "close"; }), "upgrade-required");
  EXPECT_EQ(bent([](auto& r) { r.upgrade = "h2c"; }), "upgrade-required");
  EXPECT_EQ(bent([](auto& r) { r.web_socket_version = "12"; }), "upgrade-required");
  EXPECT_EQ(bent([](auto& r) { r.web_socket_key = "short"; }), "malformed-request");
  EXPECT_EQ(bent([](auto& r) { r.web_socket_key = ""; }), "malformed-request");
  EXPECT_EQ(bent([](auto& r) { r.web_socket_protocol = ""; }), "unknown-subprotocol");
  EXPECT_EQ(bent([](auto& r) { r.web_socket_protocol = "chat, berth.session.v2"; }), "unknown-subprotocol");
  EXPECT_EQ(bent([](auto& r) { r.web_socket_protocol = "chat , berth.session.v1"; }), "");
}

TEST_F(InsideRights, TheOwnerAloneActs) {
  for (const char* what : {"exec", "shell", "copy"}) {
    EXPECT_EQ(open(what, "s1", "alice-key").status, 101u);
    const std::string id = to_string(session_id("s1"));
    EXPECT_EQ(ApiRig::code_of(open(what, id, "admin-key")), "denied") << what;
    EXPECT_EQ(open(what, id, "admin-key").status, 403u);
    EXPECT_EQ(ApiRig::code_of(open(what, id, "bob-key")), "unknown-session") << what;
    EXPECT_EQ(ApiRig::code_of(open(what, "nothing")), "unknown-session");
  }
}

TEST_F(InsideRights, AKeyPairThatReadsOpensNothing) {
  v1::Event reads = with_secret(key_pair_defined("read-key", "alice"), secret_of("read-key"));
  reads.mutable_key_pair_defined()->set_read_only(true);
  rig.cell.append({reads});
  EXPECT_EQ(ApiRig::code_of(open("exec", "s1", "read-key")), "key-read-only");
  EXPECT_EQ(ApiRig::code_of(open("shell", "s1", "read-key")), "key-read-only");
  StreamClient into(open("copy", "s1", "read-key"));
  into.say(R"({"to": "/tmp"})");
  EXPECT_EQ(into.problem(), "key-read-only 1008");
  StreamClient out(open("copy", "s1", "read-key"));
  out.say(R"({"from": "/tmp"})");
  EXPECT_EQ(channel()->request().what, inside::Request::What::kPack);
}

TEST_F(InsideRights, AKernelThatDoesNotRunIsNotEntered) {
  rig.cell.append({session_requested("waits")});
  EXPECT_EQ(ApiRig::code_of(open("shell", "waits")), "session-not-running");
  rig.cell.append({session_scheduled("waits", "a1")});
  EXPECT_EQ(ApiRig::code_of(open("shell", "waits")), "session-not-running");
  rig.cell.append({kernel_running(kernel_name("waits"))});
  EXPECT_EQ(open("shell", "waits").status, 101u);
  rig.cell.append({session_terminating("waits")});
  EXPECT_EQ(ApiRig::code_of(open("shell", "waits")), "session-terminating");
  rig.cell.append({kernel_terminated(kernel_name("waits"))});
  EXPECT_EQ(ApiRig::code_of(open("shell", "waits")), "session-ended");
}

TEST_F(InsideRights, AForeignPageOpensNothing) {
  const api::BrowserCookie cookie{Uuid::from_hash(blake2b_128("b1")),
                                  std::string(api::kCookieSecretBytes, 'x')};
  v1::Event signed_in = browser_session_started("b1", "alice");
  signed_in.mutable_browser_session_started()->set_id(std::string(cookie.id.view()));
  signed_in.mutable_browser_session_started()->set_secret_hash(
      std::string(as_view(api::hash_of_cookie(cookie))));
  rig.cell.append({signed_in});
  const auto by_cookie = [&](const std::string& origin) {
    auto request = stream_request(rig, "shell");
    request.authorization.clear();
    request.cookie = api::cookie_name(test_cluster()) + "=" + api::cookie_value(cookie);
    request.origin = origin;
    return rig.send(std::move(request));
  };
  EXPECT_EQ(by_cookie("http://127.0.0.1:7410").status, 101u);
  for (const char* origin : {"", "null", "http://evil.example", "http://127.0.0.1:7411"})
    EXPECT_EQ(ApiRig::code_of(by_cookie(origin)), "foreign-origin") << origin;
  auto request = stream_request(rig, "shell");
  request.origin = "http://evil.example";
  EXPECT_EQ(ApiRig::code_of(rig.send(std::move(request))), "foreign-origin");

  StreamClient client(by_cookie("http://localhost:7410"));
  client.say("{}");
  const auto there = channel();
  rig.cell.append({browser_session_ended("b1")});  // logout
  EXPECT_EQ(client.problem(), "signed-out 1008");
  EXPECT_TRUE(there->wait_until_gone());
}

TEST_F(InsideRights, ThereAreAsManyStreamsAsTheLimitsAllow) {
  api::ApiOptions options = quick_options();
  options.streams.all_max = 3;
  options.streams.of_user_max = 2;
  ApiRig narrow(
      world_inside() + Events{session_requested("of-bob", Spec(), "bob"), session_scheduled("of-bob", "a1"),
                              kernel_running(kernel_name("of-bob"))},
      options);
  const auto ask = [&](const char* session, const char* key) {
    return narrow.send(stream_request(narrow, "shell", session, key));
  };
  auto first = std::make_unique<StreamClient>(ask("s1", "alice-key"));
  StreamClient second(ask("s2", "alice-key"));
  const auto third = ask("s1", "alice-key");
  EXPECT_EQ(ApiRig::code_of(third), "too-many-streams");
  EXPECT_EQ(third.status, 429u);
  StreamClient bobs(ask("of-bob", "bob-key"));
  EXPECT_EQ(ApiRig::code_of(ask("of-bob", "bob-key")), "too-many-streams");  // of all
  const auto text = narrow.ask({.target = "/metrics"}).body;
  EXPECT_NE(text.find("berth_api_inside_streams 3\n"), std::string::npos);
  first.reset();
  // Whoever looks after the streams may hold it a moment longer.
  unsigned status = 429;
  for (int i = 0; i < 2000 && status != 101; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    status = ask("s1", "alice-key").status;
  }
  EXPECT_EQ(status, 101u);
}

// ---- what cuts ----

TEST_F(InsideRights, ASessionThatEndsCutsItsStreams) {
  const auto client = begun();
  const auto there = agent;
  const auto of_another = [&] {
    auto other = std::make_unique<StreamClient>(open("shell", "s2"));
    other->say("{}");
    return other;
  }();
  rig.cell.append({session_terminating("s1")});
  EXPECT_EQ(client->problem(), "session-ended 1008");
  EXPECT_TRUE(there->wait_until_gone());
  channel(1)->say(inside::Begun{});
  EXPECT_TRUE(of_another->json().as_object().contains("begun"));
}

// Which of the two tells first, the agent or the journal, makes no difference.
TEST_F(InsideRights, AKernelThatEndsByItselfIsToldAsTheSessionsEnd) {
  const auto client = begun();
  agent->say(inside::Problem{"channel-closed", "the kernel or its helper has ended"});
  EXPECT_TRUE(agent->wait_until_gone());
  rig.cell.append({kernel_terminated(kernel_name("s1"))});
  EXPECT_EQ(client->problem(), "session-ended 1008");
}

TEST_F(InsideRights, WhoeverIsSignedOutIsCut) {
  const auto user = [](bool disabled) {
    v1::Event alice = user_defined("alice");
    alice.mutable_user_defined()->set_disabled(disabled);
    return alice;
  };
  const auto key = [](const std::function<void(v1::KeyPairDefined&)>& bend) {
    v1::Event pair = with_secret(key_pair_defined("alice-key", "alice"), secret_of("alice-key"));
    bend(*pair.mutable_key_pair_defined());
    return pair;
  };
  for (const v1::Event& event : {user(true), key([](auto& k) { k.set_active(false); })}) {
    const auto client = begun();
    rig.cell.append({event});
    EXPECT_EQ(client->problem(), "signed-out 1008") << event.DebugString();
    EXPECT_TRUE(agent->wait_until_gone());
    rig.cell.append({user(false), key([](auto&) {})});
  }
  rig.cell.append({key([](auto& k) { k.set_expires_ns(kTestStart + kMinute); })});
  auto client = begun();
  rig.cell.test_clock.wall += kMinute;
  EXPECT_EQ(client->problem(), "signed-out 1008");
  rig.cell.append({key([](auto&) {})});
  client = begun();
  rig.cell.append({definition_removed("key", "alice-key")});
  EXPECT_EQ(client->problem(), "signed-out 1008");
}

TEST_F(InsideRights, WhoeverLosesTheRightIsCut) {
  v1::Event monitor = user_with_role("alice", "monitor");
  auto client = begun("shell", "{}");
  rig.cell.append({monitor});
  EXPECT_EQ(client->problem(), "access-lost 1008");
  rig.cell.append({user_defined("alice")});
  client = begun("shell", "{}");
  v1::Event reads = with_secret(key_pair_defined("alice-key", "alice"), secret_of("alice-key"));
  reads.mutable_key_pair_defined()->set_read_only(true);
  rig.cell.append({reads});
  EXPECT_EQ(client->problem(), "access-lost 1008");
}

// What it said before is not for who has lost the right to it.
TEST_F(InsideRights, NothingIsToldBehindACut) {
  const auto client = begun();
  client->take(false);
  agent->say(inside::Out{"secret"});  // is taken by the batch that was asked for
  agent->say(inside::Out{"secret"});
  v1::Event alice = user_defined("alice");
  alice.mutable_user_defined()->set_disabled(true);
  rig.cell.append({alice});
  EXPECT_TRUE(agent->wait_until_gone());
  client->take(true);
  std::string last;
  while (!last.starts_with("{") && last != "nothing") last = client->next();
  EXPECT_NE(last.find("signed-out"), std::string::npos) << last;
}

TEST_F(InsideRights, AClientThatGoesClosesTheChannel) {
  auto client = begun();
  client.reset();
  EXPECT_TRUE(agent->wait_until_gone());
}

TEST_F(InsideRights, AServerThatStopsSaysSo) {
  const auto client = begun();
  std::thread stops([this] { rig.api.end_streams(std::chrono::milliseconds(0)); });
  EXPECT_EQ(client->problem(), "stopping 1001");
  stops.join();
  EXPECT_EQ(ApiRig::code_of(open("exec")), "stopping");
}

}  // namespace
}  // namespace berth::testing
