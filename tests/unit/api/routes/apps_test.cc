// The apps of a session: what its image declares, how each stands, starts and ends. What goes to them is
// connect_test.cc, and through the proxy tests/unit/api/server/app_test.cc.
#include "tests/unit/api/support/app_image.h"
#include "tests/unit/api/support/inside_rig.h"

namespace berth::testing {
namespace {

using inside::AppState;

class AppsOfASession : public InsideRig {
 protected:
  AppsOfASession() {
    rig.cell.append({image_with_apps()});
    for (const char* session : {"lab", "lab2"})
      for (const v1::Event& event : running_lab(session)) rig.cell.append({event});
  }
  std::future<api::HttpReply> ask_later(const std::string& method, const std::string& target) {
    return rig.send_later(rig.request({.method = method, .target = target, .key = "alice-key"}));
  }
  std::string code(const std::string& method, const std::string& target,
                   const std::string& key = "alice-key") {
    return ApiRig::code_of(rig.ask({.method = method, .target = target, .key = key}));
  }
  // A start that has begun.
  std::unique_ptr<StreamClient> started(const std::string& app = "jupyter", const std::string& ask = "{}") {
    auto client = std::make_unique<StreamClient>(open("apps/" + app + "/start", "lab"));
    const std::size_t number = rig.cell.channels.opened();
    client->say(ask);
    agent = channel(number);
    asked = agent->request();
    agent->say(inside::Begun{0, 0, true, 0});
    EXPECT_EQ(client->next(), R"({"begun":{"made":true,"scrollback":0,"lost":0,"restarts":0}})");
    return client;
  }
};

inside::AppEntry entry(const std::string& name, AppState state, const std::string& log = "") {
  inside::AppEntry out;
  out.name = name;
  out.state = state;
  out.log = log;
  return out;
}

// ---- the list ----

TEST_F(AppsOfASession, AreThoseThatTheImageDeclaresWithHowEachStands) {
  auto reply = ask_later("GET", "/v1/sessions/lab/apps");
  const auto there = channel();
  EXPECT_EQ(there->request().what, inside::Request::What::kApps);
  there->say(inside::Begun{});
  inside::AppEntry ended = entry("board", AppState::kEnded, "no module named tensorboard");
  ended.code = 1;
  ended.restarts = 2;
  there->say(entry("jupyter", AppState::kReady, "listening"));
  there->say(ended);
  there->say(entry("undeclared", AppState::kReady));
  there->say(inside::Ended{});
  const auto body = reply.get().body;
  EXPECT_EQ(
      body,
      R"({"items":[{"name":"jupyter","title":"JupyterLab","protocol":"http","port":8080,"state":"ready",)"
      R"("exit_code":0,"signal":0,"restarts":0,"log":"listening"},)"
      R"({"name":"board","title":"board","protocol":"http","port":6006,"state":"ended",)"
      R"("exit_code":1,"signal":0,"restarts":2,"log":"no module named tensorboard"},)"
      R"({"name":"db","title":"db","protocol":"tcp","port":5432,"state":"stopped"},)"
      R"({"name":"top","title":"top","protocol":"pty","port":9000,"state":"stopped"},)"
      R"({"name":"mine","title":"mine","protocol":"preopen","port":8501,"state":"stopped"}]})"
      "\n");
}

TEST_F(AppsOfASession, AreStoppedWhereTheSessionDoesNotRun) {
  rig.cell.append({session_requested("waits", Spec().image("lab:1"))});
  const auto reply = rig.ask({.target = "/v1/sessions/waits/apps", .key = "alice-key"});
  EXPECT_EQ(reply.status, 200u) << reply.body;
  EXPECT_EQ(ApiRig::json_of(reply).at("items").as_array().size(), 5u);
  EXPECT_EQ(ApiRig::json_of(reply).at("items").at(0).at("state").as_string(), "stopped");
  EXPECT_EQ(rig.cell.channels.opened(), 0u);
  rig.cell.append({session_cancelled("waits")});
  EXPECT_EQ(code("GET", "/v1/sessions/waits/apps"), "session-ended");
}

TEST_F(AppsOfASession, AreNoneWhereLabelsAreBrokenOrTheImageIsUnknown) {
  rig.cell.append({image_labelled("lab:1", {{"berth.apps", "jupyter:http:2000"}})});
  rig.cell.append({session_requested("waits", Spec().image("lab:1"))});
  EXPECT_EQ(rig.ask({.target = "/v1/sessions/waits/apps", .key = "alice-key"}).body, "{\"items\":[]}\n");
  rig.cell.append({session_requested("bare", Spec())});
  EXPECT_EQ(rig.ask({.target = "/v1/sessions/bare/apps", .key = "alice-key"}).body, "{\"items\":[]}\n");
}

TEST_F(AppsOfASession, WhatAnAgentRefusesIsToldAsItIs) {
  rig.cell.channels.refusal = make_error("not-for-this-backend", "kernels are processes");
  EXPECT_EQ(code("GET", "/v1/sessions/lab/apps"), "not-for-this-backend");
  EXPECT_EQ(code("DELETE", "/v1/sessions/lab/apps/jupyter"), "not-for-this-backend");
  rig.cell.channels.refusal.reset();
  auto reply = ask_later("GET", "/v1/sessions/lab/apps");
  const auto there = channel(2);
  there->say(inside::Begun{});
  there->say(inside::ShellEntry{"main", "sh", 0, 0});
  EXPECT_EQ(ApiRig::code_of(reply.get()), "agent-answer-invalid");
}

TEST_F(AppsOfASession, AreTheOwnersAlone) {
  const std::string id = "/v1/sessions/" + to_string(session_id("lab")) + "/apps";
  EXPECT_EQ(code("GET", id, "admin-key"), "denied");
  EXPECT_EQ(code("DELETE", id + "/jupyter", "admin-key"), "denied");
  EXPECT_EQ(code("GET", id, "bob-key"), "unknown-session");
  for (const char* what : {"apps/jupyter/start", "apps/jupyter/connect", "apps/8888/connect"}) {
    const std::string session = to_string(session_id("lab"));
    EXPECT_EQ(ApiRig::code_of(open(what, session, "admin-key")), "denied") << what;
    EXPECT_EQ(ApiRig::code_of(open(what, session, "bob-key")), "unknown-session") << what;
    EXPECT_EQ(open(what, session, "alice-key").status, 101u) << what;
  }
  EXPECT_EQ(code("GET", id + "?kernel=main1"), "unknown-parameter");
}

TEST_F(AppsOfASession, AKeyPairThatReadsStartsAndReachesNothing) {
  v1::Event reads = with_secret(key_pair_defined("read-key", "alice"), secret_of("read-key"));
  reads.mutable_key_pair_defined()->set_read_only(true);
  rig.cell.append({reads});
  EXPECT_EQ(ApiRig::code_of(open("apps/jupyter/start", "lab", "read-key")), "key-read-only");
  EXPECT_EQ(ApiRig::code_of(open("apps/jupyter/connect", "lab", "read-key")), "key-read-only");
  EXPECT_EQ(code("DELETE", "/v1/sessions/lab/apps/jupyter", "read-key"), "key-read-only");
}

// ---- the end ----

TEST_F(AppsOfASession, AnAppIsEndedAndTheAnswerComesWhenItIsGone) {
  auto reply = ask_later("DELETE", "/v1/sessions/lab/apps/jupyter");
  const auto there = channel();
  const inside::Request request = there->request();
  EXPECT_EQ(request.what, inside::Request::What::kAppEnd);
  EXPECT_EQ(request.name, "jupyter");
  there->say(inside::Begun{});
  there->say(inside::Ended{143, 15});
  const auto answer = reply.get();
  EXPECT_EQ(answer.status, 204u);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(answer.content_type, "");
  reply = ask_later("DELETE", "/v1/sessions/lab/apps/board");
  channel(1)->say(inside::Problem{"no-such-app", "no app 'board' was started in this kernel"});
  const auto refused = reply.get();
  EXPECT_EQ(refused.status, 404u);
  EXPECT_EQ(ApiRig::code_of(refused), "no-such-app");
  EXPECT_EQ(code("DELETE", "/v1/sessions/lab/apps/a%20b"), "invalid-name");
}

// ---- the start ----

TEST_F(AppsOfASession, AnAppStartsAsTheImageSaysWithWhatTheClientAdds) {
  const auto client = started("jupyter", R"({"arguments": ["--debug", ""], "environment": {"A": "b=c"}})");
  EXPECT_EQ(asked.what, inside::Request::What::kApp);
  EXPECT_EQ(asked.name, "jupyter");
  EXPECT_FALSE(asked.existing);
  EXPECT_EQ(asked.args, (std::vector<std::string>{"jupyter", "lab", "--debug", ""}));
  EXPECT_EQ(asked.env, (std::vector<std::string>{"A=b=c"}));
  EXPECT_EQ(asked.socket, "/var/lib/apps/lab.sock");
  EXPECT_EQ(asked.port, 0);
  EXPECT_EQ(asked.token_variable, "JUPYTER_TOKEN");
  const auto of_port = started("board");
  EXPECT_EQ(asked.args, (std::vector<std::string>{"tensorboard"}));
  EXPECT_EQ(asked.socket, "");
  EXPECT_EQ(asked.port, 6006);
  EXPECT_EQ(asked.token_variable, "");
}

TEST_F(AppsOfASession, AStartTellsEachChangeAndWhatTheAppPrints) {
  const auto client = started();
  agent->say(entry("jupyter", AppState::kStarting));
  EXPECT_EQ(client->next(), R"({"app":{"state":"starting","exit_code":0,"signal":0,"restarts":0}})");
  agent->say(inside::Out{"hello\n"});
  EXPECT_EQ(client->next(), "\1hello\n");
  agent->say(inside::Lost{17});
  EXPECT_EQ(client->next(), R"({"lost":17})");
  agent->say(entry("jupyter", AppState::kReady));
  EXPECT_EQ(client->next(), R"({"app":{"state":"ready",)"
                            R"("exit_code":0,"signal":0,"restarts":0}})");
  inside::AppEntry ended = entry("jupyter", AppState::kEnded);
  ended.code = 137;
  ended.signal = 9;
  ended.restarts = 3;
  agent->say(ended);
  agent->say(inside::Ended{137, 9});
  EXPECT_EQ(client->next(), R"({"app":{"state":"ended",)"
                            R"("exit_code":137,"signal":9,"restarts":3}})");
  EXPECT_EQ(client->next(), R"({"ended":{"exit_code":137,"signal":9}})");
  EXPECT_EQ(client->close(), 1000);
}

TEST_F(AppsOfASession, AStartThatTheHelperRefusesIsToldWhy) {
  StreamClient client(open("apps/board/start", "lab"));
  client.say("{}");
  channel()->say(inside::Problem{"program-not-found", "tensorboard"});
  EXPECT_EQ(client.problem(), "program-not-found 1008");
  rig.cell.channels.refusal = make_error("not-for-this-backend", "kernels are processes");
  StreamClient of_process(open("apps/board/start", "lab"));
  of_process.say("{}");
  EXPECT_EQ(of_process.problem(), "not-for-this-backend 1008");
}

TEST_F(AppsOfASession, TheTokenOfAStartIsToldToNobody) {
  const std::string token(inside::kTokenSize, 'a');
  StreamClient client(open("apps/jupyter/start", "lab"));
  client.say("{}");
  inside::Begun begun;
  begun.token = token;
  channel()->say(begun);
  EXPECT_EQ(client.next(), R"({"begun":{"made":false,"scrollback":0,"lost":0,"restarts":0}})");
}

TEST_F(AppsOfASession, AStartIsAnOpeningOfTheApp) {
  const Offset before = rig.cell.position();
  started();
  const auto page = rig.cell.read_journal(before + 1, 100, 1u << 20);
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->records.size(), 1u);
  const auto& opened = page->records[0].record->events(0).kernel_opened();
  EXPECT_EQ(opened.kind(), v1::WAY_KIND_APP);
  EXPECT_EQ(opened.name(), "jupyter");
}

TEST_F(AppsOfASession, WhatIsNotToBeStartedHereIsToldApart) {
  const auto refused = open("apps/nothing/start", "lab");
  EXPECT_EQ(ApiRig::code_of(refused), "unknown-app");
  EXPECT_EQ(refused.status, 404u);
  EXPECT_NE(refused.body.find("it declares jupyter, board, db, top, mine"), std::string::npos)
      << refused.body;
  EXPECT_EQ(ApiRig::code_of(open("apps/8888/start", "lab")), "unknown-app");
  EXPECT_EQ(ApiRig::code_of(open("apps/jupyter/start", "s1")), "unknown-app");
  EXPECT_EQ(open("apps/mine/start", "lab").status, 409u);
  EXPECT_EQ(ApiRig::code_of(open("apps/mine/start", "lab")), "app-not-started-here");
  EXPECT_EQ(open("apps/top/start", "lab").status, 409u);
  EXPECT_EQ(ApiRig::code_of(open("apps/top/start", "lab")), "app-in-terminal");
  const auto no_socket = rig.ask({.target = "/v1/sessions/lab/apps/jupyter/start", .key = "alice-key"});
  EXPECT_EQ(no_socket.status, 426u);
  EXPECT_EQ(ApiRig::header_of(no_socket, "Upgrade"), "websocket");
  rig.cell.append({session_requested("waits", Spec().image("lab:1"))});
  EXPECT_EQ(ApiRig::code_of(open("apps/jupyter/start", "waits")), "session-not-running");
}

TEST_F(AppsOfASession, AFirstMessageThatIsNoStartIsRefused) {
  for (const char* text :
       {"", "x", "[]", "null", R"({"command": ["a"]})", R"({"arguments": "a"})", R"({"arguments": [1]})",
        R"({"arguments": ["a\u0000b"]})", R"({"arguments": [], "arguments": []})",
        R"({"environment": {"A=B": "c"}})", R"({"environment": {"": "c"}})", R"({"environment": []})",
        R"({"name": "board"})"}) {
    StreamClient client(open("apps/jupyter/start", "lab"));
    client.say(text);
    EXPECT_EQ(client.problem(), "message-invalid 1008") << text;
  }
  StreamClient bytes(open("apps/jupyter/start", "lab"));
  bytes.type("{}");
  EXPECT_EQ(bytes.problem(), "message-invalid 1008");
  StreamClient large(open("apps/jupyter/start", "lab"));
  large.say(R"({"arguments": [")" + std::string(140'000, 'a') + R"("]})");
  EXPECT_EQ(large.problem(), "message-invalid 1008");
  EXPECT_EQ(rig.cell.channels.opened(), 0u);
}

TEST_F(AppsOfASession, AStartTakesNoInput) {
  auto client = started();
  client->type("x");
  EXPECT_EQ(client->problem(), "message-invalid 1008");
  client = started();
  client->say(R"({"end_of_input": true})");
  EXPECT_EQ(client->problem(), "message-invalid 1008");
}

TEST_F(AppsOfASession, AStartIsCutWithItsSessionAndWithTheRightToIt) {
  auto client = started();
  rig.cell.append({session_terminating("lab2")});
  v1::Event disabled = user_defined("alice");
  disabled.mutable_user_defined()->set_disabled(true);
  rig.cell.append({disabled});
  EXPECT_EQ(client->problem(), "signed-out 1008");
  EXPECT_TRUE(agent->wait_until_gone());
  rig.cell.append({user_defined("alice")});
  client = started();
  rig.cell.append({session_terminating("lab")});
  EXPECT_EQ(client->problem(), "session-ended 1008");
  EXPECT_TRUE(agent->wait_until_gone());
}

// The helper tells it what it was too slow for.
TEST_F(AppsOfASession, AClientThatReadsSlowlyKeepsLookingAtItsApp) {
  const auto client = started();
  client->relay().stalled();
  agent->say(inside::Out{"still here"});
  EXPECT_EQ(client->next(), "\1still here");
}

TEST_F(AppsOfASession, AnAppsStateIsNoAnswerToAProgram) {
  const auto client = begun();
  agent->say(entry("jupyter", AppState::kReady));
  EXPECT_EQ(client->problem(), "agent-answer-invalid 1011");
}

}  // namespace
}  // namespace berth::testing
