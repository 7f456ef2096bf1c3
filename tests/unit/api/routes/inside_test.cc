// Streams into kernels: what the client may say, what the agent may answer, and what ends them. The sockets
// are tests/unit/api/server/web_socket_test.cc.
#include <gtest/gtest.h>

#include "controller/api/auth/cookie.h"
#include "tests/support/limits.h"
#include "tests/unit/api/support/stream_client.h"

namespace berth::testing {
namespace {

using inside::FrameType;

constexpr const char* kEcho = R"({"command": ["echo", "hello"]})";

// alice's sessions s1 and s2, each with a kernel main1 that runs on a1; the superadmin "admin", and bob.
Events world() { return small_cluster() + running("s1", "a1") + running("s2", "a1"); }

api::ApiOptions quick_options() {
  api::ApiOptions options = quiet_options();
  options.streams.look = std::chrono::milliseconds(10);
  options.streams.why_lost = std::chrono::milliseconds(200);
  return options;
}

class Inside : public ::testing::Test {
 protected:
  api::HttpReply open(const std::string& what, const std::string& session = "s1",
                      const std::string& key = "alice-key") {
    return rig.send(stream_request(rig, what, session, key));
  }
  std::shared_ptr<FakeChannel> channel(std::size_t number = 0) { return rig.cell.channels.await(number); }
  // A stream that has begun.
  std::unique_ptr<StreamClient> begun(const std::string& what = "exec", const std::string& ask = kEcho) {
    auto client = std::make_unique<StreamClient>(open(what));
    const std::size_t number = rig.cell.channels.opened();
    client->say(ask);
    agent = channel(number);
    asked = agent->request();
    agent->say(inside::Begun{});
    EXPECT_TRUE(client->json().as_object().contains("begun"));
    return client;
  }

  ApiRig rig{world(), quick_options()};
  std::shared_ptr<FakeChannel> agent;
  inside::Request asked;
};

// ---- what is said ----

TEST_F(Inside, AProgramGetsItsInputAndItsOutputComesApart) {
  StreamClient client(open("exec"));
  client.say(
      R"({"command": ["cat", "-"], "environment": {"A": "b c"}, "folder": "/tmp", "terminal": false})");
  const auto there = channel();
  EXPECT_EQ(there->kernel().agent, "a1");
  EXPECT_EQ(there->kernel().kernel, kernel_id(kernel_name("s1")));
  EXPECT_EQ(there->kernel().attempt, 1u);
  const inside::Request request = there->request();
  EXPECT_EQ(request.what, inside::Request::What::kExec);
  EXPECT_EQ(request.args, (std::vector<std::string>{"cat", "-"}));
  EXPECT_EQ(request.env, (std::vector<std::string>{"A=b c"}));
  EXPECT_EQ(request.cwd, "/tmp");
  there->say(inside::Begun{0, 0, false, 0});
  EXPECT_EQ(client.next(), R"({"begun":{"made":false,"scrollback":0,"lost":0,"restarts":0}})");
  client.type(std::string("a\0\xff", 3));
  const auto typed = there->next();
  EXPECT_EQ(typed.type, FrameType::kIn);
  EXPECT_EQ(typed.payload, std::string("a\0\xff", 3));
  client.say(R"({"end_of_input": true})");
  EXPECT_EQ(there->next().type, FrameType::kInEnd);
  there->say(inside::Out{std::string("x\0y", 3)});
  there->say(inside::Err{"oh"});
  there->say(inside::Ended{137, 9});
  EXPECT_EQ(client.next(), std::string("\1x\0y", 4));
  EXPECT_EQ(client.next(), "\2oh");
  EXPECT_EQ(client.next(), R"({"ended":{"exit_code":137,"signal":9}})");
  EXPECT_EQ(client.close(), 1000);
  EXPECT_TRUE(there->wait_until_gone());
}

TEST_F(Inside, AShellIsMainUnlessItIsNamed) {
  const auto client = begun("shell", "{}");
  EXPECT_EQ(asked.what, inside::Request::What::kShell);
  EXPECT_EQ(asked.name, "main");
  EXPECT_FALSE(asked.existing);
  EXPECT_EQ(asked.size.columns, 80);
  const auto other =
      begun("shell", R"({"name": "b.2", "existing": true, "command": ["sh"], "columns": 1000, "rows": 1})");
  EXPECT_EQ(asked.name, "b.2");
  EXPECT_TRUE(asked.existing);
  EXPECT_EQ(asked.args, std::vector<std::string>{"sh"});
  EXPECT_EQ(asked.size.columns, 1000);
  other->say(R"({"columns": 120, "rows": 40})");
  const auto resized = agent->next();
  EXPECT_EQ(resized.type, FrameType::kSize);
  EXPECT_EQ(inside::decode_size(resized.payload)->rows, 40);
  agent->say(inside::Lost{17});
  EXPECT_EQ(other->next(), R"({"lost":17})");
}

TEST_F(Inside, ALongRequestGoesInParts) {
  const auto client = begun("exec", R"({"command": ["x", ")" + std::string(100'000, 'a') + R"("]})");
  EXPECT_EQ(asked.args[1].size(), 100'000u);
}

TEST_F(Inside, AKernelIsNamedByNameOrId) {
  auto request = stream_request(rig, "exec");
  const auto ask = [&](const std::string& kernel) {
    auto asks = stream_request(rig, "exec?kernel=" + kernel);
    return rig.send(std::move(asks));
  };
  EXPECT_EQ(ask("main1").status, 101u);
  EXPECT_EQ(ask(to_string(kernel_id(kernel_name("s1")))).status, 101u);
  EXPECT_EQ(ApiRig::code_of(ask("main2")), "unknown-kernel");
}

TEST_F(Inside, FilesAreCopiedOutAndIn) {
  const auto out = begun("copy", R"({"from": "/tmp/x"})");
  EXPECT_EQ(asked.what, inside::Request::What::kPack);
  EXPECT_EQ(asked.path, "/tmp/x");
  agent->say(inside::Out{"tar"});
  EXPECT_EQ(out->next(), "\1tar");
  out->type("x");
  EXPECT_EQ(out->problem(), "message-invalid 1008");
  const auto in = begun("copy", R"({"to": "y"})");
  EXPECT_EQ(asked.what, inside::Request::What::kUnpack);
  EXPECT_EQ(asked.path, "y");
  in->type("tar");
  EXPECT_EQ(agent->next().payload, "tar");
  in->say(R"({"end_of_input": true})");
  EXPECT_EQ(agent->next().type, FrameType::kInEnd);
}

// ---- what is said wrongly ----

TEST_F(Inside, AFirstMessageThatIsNoRequestIsRefused) {
  for (const char* text : {"",
                           "x",
                           "[]",
                           "null",
                           "{}",
                           R"({"command": []})",
                           R"({"command": "ls"})",
                           R"({"command": [1]})",
                           R"({"command": ["a"], "command": ["b"]})",
                           R"({"command": ["a"], "comand": 1})",
                           R"({"command": ["a\u0000b"]})",
                           R"({"command": ["a"], "terminal": 1})",
                           R"({"command": ["a"], "columns": 0})",
                           R"({"command": ["a"], "rows": 1001})",
                           R"({"command": ["a"], "columns": 1.5})",
                           R"({"command": ["a"], "environment": {"A=B": "c"}})",
                           R"({"command": ["a"], "environment": {"": "c"}})",
                           R"({"command": ["a"], "environment": ["A=b"]})",
                           R"({"command": ["a"], "folder": 1})",
                           R"({"command": ["a"], "name": "main"})"}) {
    StreamClient client(open("exec"));
    client.say(text);
    EXPECT_EQ(client.problem(), "message-invalid 1008") << text;
  }
  for (const char* text : {R"({"name": ""})", R"({"name": "a b"})", R"({"name": "a/b"})",
                           R"({"existing": "no"})", R"({"terminal": true})"}) {
    StreamClient client(open("shell"));
    client.say(text);
    EXPECT_EQ(client.problem(), "message-invalid 1008") << text;
  }
  for (const char* text : {"{}", R"({"from": "/a", "to": "/b"})", R"({"from": ""})", R"({"to": 1})",
                           R"({"from": "/a", "command": ["x"]})"}) {
    StreamClient client(open("copy"));
    client.say(text);
    EXPECT_EQ(client.problem(), "message-invalid 1008") << text;
  }
  EXPECT_EQ(rig.cell.channels.opened(), 0u);
}

TEST_F(Inside, AFirstMessageOfBytesIsRefused) {
  StreamClient client(open("shell"));
  client.type("{}");
  EXPECT_EQ(client.problem(), "message-invalid 1008");
}

TEST_F(Inside, ArgumentsBeyondWhatAProgramIsGivenAreRefused) {
  StreamClient client(open("exec"));
  client.say(R"({"command": ["x", ")" + std::string(140'000, 'a') + R"("]})");
  EXPECT_EQ(client.problem(), "message-invalid 1008");
}

TEST_F(Inside, ALaterMessageThatSaysNothingKnownEndsTheStream) {
  for (const char* text :
       {"", "{}", "hello", R"({"columns": 80})", R"({"columns": 80, "rows": 24, "x": 1})",
        R"({"end_of_input": false})", R"({"end_of_input": true, "rows": 1})", R"({"end_of_input": 1})",
        R"({"columns": 0, "rows": 1})", R"({"columns": 80, "rows": 24})"}) {  // no terminal, no size
    const auto client = begun();
    client->say(text);
    EXPECT_EQ(client->problem(), "message-invalid 1008") << text;
    EXPECT_TRUE(agent->wait_until_gone());
  }
  const auto client = begun("shell", "{}");
  client->say(R"({"end_of_input": true})");
  EXPECT_EQ(client->problem(), "message-invalid 1008");
}

TEST_F(Inside, InputAfterItsEndIsRefused) {
  const auto client = begun();
  client->say(R"({"end_of_input": true})");
  client->type("a");
  EXPECT_EQ(client->problem(), "message-invalid 1008");
}

TEST_F(Inside, InputComesInMessagesOfAtMost64KiB) {
  auto client = begun();
  client->type(std::string(64 << 10, 'a'));
  EXPECT_EQ(agent->next().payload.size(), 64u << 10);
  client->type(std::string((64 << 10) + 1, 'a'));
  EXPECT_EQ(client->problem(), "message-invalid 1009");
  client = begun();
  client->type("");
  EXPECT_EQ(client->problem(), "message-invalid 1008");
}

TEST_F(Inside, AClientThatSaysNothingIsNotWaitedForLong) {
  api::ApiOptions options = quick_options();
  options.streams.first_message = std::chrono::milliseconds(20);
  ApiRig hasty(world(), options);
  StreamClient client(hasty.send(stream_request(hasty, "shell")));
  EXPECT_EQ(client.problem(), "message-invalid 1008");
}

// ---- what a kernel says wrongly ----

TEST_F(Inside, WhatIsNoAnswerOfAHelperEndsTheStream) {
  std::string huge;
  append_frame(huge, FrameType::kOut, "x");
  huge[3] = '\x40';  // announces 1 GiB
  std::string typed, empty, twice, entry, before;
  append_frame(typed, FrameType::kIn, "x");
  append_frame(empty, FrameType::kEnded, "");
  append_answer(twice, inside::Begun{});
  append_answer(entry, inside::ShellEntry{"main", "sh", 1, 1});
  for (const std::string& bytes : {huge, typed, empty, twice, entry, std::string(64, '\xff')}) {
    const auto client = begun();
    agent->say_bytes(bytes);
    EXPECT_EQ(client->problem(), "agent-answer-invalid 1011");
    EXPECT_TRUE(agent->wait_until_gone());
  }
}

TEST_F(Inside, OutputBeforeItBeganEndsTheStream) {
  StreamClient client(open("exec"));
  client.say(kEcho);
  channel()->say(inside::Out{"x"});
  EXPECT_EQ(client.problem(), "agent-answer-invalid 1011");
}

TEST_F(Inside, AKernelsProblemIsToldAsItSaysIt) {
  StreamClient client(open("exec"));
  client.say(kEcho);
  channel()->say(inside::Problem{"program-not-found", "there is no\n\x1b[31m program"});
  const auto told = client.json();
  EXPECT_EQ(told.at("problem").at("code").as_string(), "program-not-found");
  EXPECT_EQ(told.at("problem").at("message").as_string(), "there is no??[31m program");
  EXPECT_EQ(client.close(), 1008);
}

// A program that took the helper's place makes nobody believe that they have lost a right.
TEST_F(Inside, AKernelDoesNotSpeakForThisServer) {
  for (const char* code : {"session-ended", "signed-out", "access-lost", "agent-unreachable", "stopping",
                           "message-invalid", "too-slow"}) {
    const auto client = begun();
    agent->say(inside::Problem{code, "believe me"});
    EXPECT_EQ(client->problem(), "agent-answer-invalid 1011") << code;
  }
}

TEST_F(Inside, FramesComeInPiecesToo) {
  const auto client = begun();
  std::string bytes;
  append_answer(bytes, inside::Out{"hello"});
  append_answer(bytes, inside::Ended{});
  for (const char c : bytes) agent->say_bytes(std::string(1, c));
  EXPECT_EQ(client->next(), "\1hello");
  EXPECT_EQ(client->next(), R"({"ended":{"exit_code":0,"signal":0}})");
}

TEST_F(Inside, AnAgentThatRefusesIsHeard) {
  rig.cell.channels.refusal = make_error("kernel-busy", "too many wait for this kernel", "try again");
  StreamClient busy(open("exec"));
  busy.say(kEcho);
  EXPECT_EQ(busy.problem(), "kernel-busy 1011");
  rig.cell.channels.refusal = make_error("kernel-not-open", "nothing can come in", "");
  StreamClient closed(open("exec"));
  closed.say(kEcho);
  EXPECT_EQ(closed.problem(), "kernel-not-open 1008");
}

TEST_F(Inside, AnAgentThatIsGoneIsToldAfterAMoment) {
  auto client = begun();
  agent->fail(make_error("agent-unreachable", "the connection was cut"));
  EXPECT_EQ(client->problem(), "agent-unreachable 1011");
  client = begun();
  agent->end();
  EXPECT_EQ(client->problem(), "agent-unreachable 1011");
  client = begun();
  agent->say(inside::Problem{"channel-closed", "the kernel or its helper has ended"});
  EXPECT_EQ(client->problem(), "channel-closed 1008");
}

// ---- who does not keep up ----

TEST_F(Inside, AClientThatTakesNothingKeepsTheKernelFromWriting) {
  const auto client = begun();
  client->take(false);
  std::string bytes;
  for (int i = 0; i < 64; ++i) append_answer(bytes, inside::Out{std::string(inside::kFrameMax, 'a')});
  agent->say_bytes(bytes);
  rig.cell.append({clock_confirmed()});   // something else goes on meanwhile
  EXPECT_GE(agent->untaken(), 3u << 20);  // of 4 MiB
  client->take(true);
  EXPECT_TRUE(agent->wait_until_taken());
  for (int i = 0; i < 64; ++i) EXPECT_EQ(client->next().size(), inside::kFrameMax + 1);
}

TEST_F(Inside, AProgramThatTakesNothingKeepsTheClientFromTyping) {
  const auto client = begun();
  agent->hold_writes(true);
  EXPECT_FALSE(client->type_ahead("a"));
  agent->hold_writes(false);
  client->type("b");
  EXPECT_EQ(agent->next().payload, "a");
  EXPECT_EQ(agent->next().payload, "b");
}

TEST_F(Inside, AProgramOfAClientThatStallsIsGivenUpAndAShellIsNot) {
  const auto program = begun();
  const auto its = agent;
  program->relay().stalled();
  EXPECT_EQ(program->problem(), "too-slow 1008");
  EXPECT_TRUE(its->wait_until_gone());
  const auto shell = begun("shell", "{}");
  shell->relay().stalled();
  agent->say(inside::Lost{1});
  EXPECT_EQ(shell->next(), R"({"lost":1})");
}

// ---- who may ----

TEST_F(Inside, AGetThatAsksForNoWebSocketIsTold) {
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

TEST_F(Inside, TheOwnerAloneActs) {
  for (const char* what : {"exec", "shell", "copy"}) {
    EXPECT_EQ(open(what, "s1", "alice-key").status, 101u);
    const std::string id = to_string(session_id("s1"));
    EXPECT_EQ(ApiRig::code_of(open(what, id, "admin-key")), "denied") << what;
    EXPECT_EQ(open(what, id, "admin-key").status, 403u);
    EXPECT_EQ(ApiRig::code_of(open(what, id, "bob-key")), "unknown-session") << what;
    EXPECT_EQ(ApiRig::code_of(open(what, "nothing")), "unknown-session");
  }
}

TEST_F(Inside, AKeyPairThatReadsOpensNothing) {
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

TEST_F(Inside, AKernelThatDoesNotRunIsNotEntered) {
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

TEST_F(Inside, AForeignPageOpensNothing) {
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

TEST_F(Inside, ThereAreAsManyStreamsAsTheLimitsAllow) {
  api::ApiOptions options = quick_options();
  options.streams.all_max = 3;
  options.streams.of_user_max = 2;
  ApiRig narrow(world() + Events{session_requested("of-bob", Spec(), "bob"),
                                 session_scheduled("of-bob", "a1"), kernel_running(kernel_name("of-bob"))},
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
  EXPECT_EQ(ask("s1", "alice-key").status, 101u);
}

// ---- what cuts ----

TEST_F(Inside, ASessionThatEndsCutsItsStreams) {
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
TEST_F(Inside, AKernelThatEndsByItselfIsToldAsTheSessionsEnd) {
  const auto client = begun();
  agent->say(inside::Problem{"channel-closed", "the kernel or its helper has ended"});
  EXPECT_TRUE(agent->wait_until_gone());
  rig.cell.append({kernel_terminated(kernel_name("s1"))});
  EXPECT_EQ(client->problem(), "session-ended 1008");
}

TEST_F(Inside, WhoeverIsSignedOutIsCut) {
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
  for (const v1::Event& event :
       {user(true), definition_removed("key", "alice-key"), key([](auto& k) { k.set_active(false); })}) {
    const auto client = begun();
    rig.cell.append({event});
    EXPECT_EQ(client->problem(), "signed-out 1008") << event.DebugString();
    EXPECT_TRUE(agent->wait_until_gone());
    rig.cell.append({user(false), key([](auto&) {})});
  }
  rig.cell.append({key([](auto& k) { k.set_expires_ns(kTestStart + kMinute); })});
  const auto client = begun();
  rig.cell.test_clock.wall += kMinute;
  EXPECT_EQ(client->problem(), "signed-out 1008");
}

TEST_F(Inside, WhoeverLosesTheRightIsCut) {
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
TEST_F(Inside, NothingIsToldBehindACut) {
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

TEST_F(Inside, AClientThatGoesClosesTheChannel) {
  auto client = begun();
  client.reset();
  EXPECT_TRUE(agent->wait_until_gone());
}

TEST_F(Inside, AServerThatStopsSaysSo) {
  const auto client = begun();
  std::thread stops([this] { rig.api.end_streams(std::chrono::milliseconds(0)); });
  EXPECT_EQ(client->problem(), "stopping 1001");
  stops.join();
  EXPECT_EQ(ApiRig::code_of(open("exec")), "stopping");
}

// ---- shells ----

TEST_F(Inside, ShellsAreListedAndEnded) {
  auto listed = rig.send_later(rig.request({.target = "/v1/sessions/s1/shells", .key = "alice-key"}));
  const auto there = channel();
  EXPECT_EQ(there->request().what, inside::Request::What::kShells);
  there->say(inside::Begun{});
  there->say(inside::ShellEntry{"main", "/bin/sh\n", kTestStart, 2});
  there->say(inside::Ended{});
  const auto reply = listed.get();
  EXPECT_EQ(reply.body,
            R"({"items":[{"name":"main","command":"/bin/sh?","started_at":"2026-01-01T00:00:00Z",)"
            R"("clients":2}]})"
            "\n");
  auto ended = rig.send_later(
      rig.request({.method = "DELETE", .target = "/v1/sessions/s1/shells/main", .key = "alice-key"}));
  const auto its = channel(1);
  const auto request = its->request();
  EXPECT_EQ(request.what, inside::Request::What::kShellEnd);
  EXPECT_EQ(request.name, "main");
  its->say(inside::Problem{"no-such-shell", "there is no shell 'main' in this kernel"});
  const auto none = ended.get();
  EXPECT_EQ(none.status, 404u);
  EXPECT_EQ(ApiRig::code_of(none), "no-such-shell");
}

TEST_F(Inside, AListOfShellsThatIsNoneIsAFault) {
  std::string many;
  append_answer(many, inside::Begun{});
  for (int i = 0; i < 300; ++i) append_answer(many, inside::ShellEntry{"s", "sh", 1, 1});
  std::string output;
  append_answer(output, inside::Out{"x"});
  std::size_t number = 0;
  for (const std::string& bytes : {many, output, std::string(64, '\xff')}) {
    auto listed = rig.send_later(rig.request({.target = "/v1/sessions/s1/shells", .key = "alice-key"}));
    const auto there = channel(number++);
    there->say_bytes(bytes);
    EXPECT_EQ(ApiRig::code_of(listed.get()), "agent-answer-invalid");
    EXPECT_TRUE(there->wait_until_gone());
  }
}

TEST_F(Inside, AShellsNameIsOne) {
  const auto reply =
      rig.ask({.method = "DELETE", .target = "/v1/sessions/s1/shells/a%20b", .key = "alice-key"});
  EXPECT_EQ(ApiRig::code_of(reply), "invalid-name");
  EXPECT_EQ(rig.cell.channels.opened(), 0u);
}

}  // namespace
}  // namespace berth::testing
