// Streams into kernels: what the client may say, what the agent may answer, and how both are kept from saying
// too much. Who may open them and what cuts them is inside_rights_test.cc; the sockets are
// tests/unit/api/server/web_socket_test.cc.
#include "tests/unit/api/support/inside_rig.h"

namespace berth::testing {
namespace {

using inside::FrameType;

class Inside : public InsideRig {};

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
  ApiRig hasty(world_inside(), options);
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

// Its stream is over as soon as it has said all, and the client's input may still be on its way.
TEST_F(Inside, AProgramThatEndedBeforeItsInputIsHeardToItsEnd) {
  const auto client = begun();
  agent->take_no_more();
  client->say(R"({"end_of_input": true})");
  EXPECT_TRUE(agent->wait_until_refused());
  agent->say(inside::Err{"oh"});
  agent->say(inside::Ended{7, 0});
  EXPECT_EQ(client->next(), "\2oh");
  EXPECT_EQ(client->next(), R"({"ended":{"exit_code":7,"signal":0}})");
  EXPECT_EQ(client->close(), 1000);
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

// ---- shells ----

TEST_F(Inside, ShellsAreListedAndEnded) {
  auto listed = rig.send_later(rig.request({.target = "/v1/sessions/s1/shells", .key = "alice-key"}));
  const auto there = channel();
  EXPECT_EQ(there->request().what, inside::Request::What::kShells);
  there->say(inside::Begun{});
  there->say(inside::ShellEntry{"main", "/bin/sh\n", 1'767'225'600 * kSecond, 2});
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
