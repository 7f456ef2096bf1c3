// Apps through the proxy, over sockets: the token that an app is shown, where its problems lead, and what
// counts as use.
#include <atomic>
#include <thread>

#include "tests/unit/api/server/apps_rig.h"

namespace berth::testing {
namespace {

class AppUse : public AppsRig {};

// ---- the app's token ----

TEST_F(AppUse, AnAppIsShownItsTokenAndNobodyElseIs) {
  const std::string token(inside::kTokenSize, 'a');
  rig_.cell.apps.token = token;
  const std::string cookie = let_in();
  RawClient client(server_->port());
  for (int i = 0; i < 2; ++i) {  // on one connection to the app
    client.send(request("GET /", cookie, "Authorization: token of-the-client\r\n"));
    const std::string asked = app()->until("\r\n\r\n");
    EXPECT_NE(asked.find("Authorization: token " + token + "\r\n"), std::string::npos) << asked;
    EXPECT_EQ(asked.find("of-the-client"), std::string::npos) << asked;
    app()->say(kOk);
    EXPECT_EQ(client.reply().find(token), std::string::npos);
  }
  RawClient socket(server_->port());
  socket.send(request("GET /ws", cookie, own_origin() + "Connection: Upgrade\r\nUpgrade: websocket\r\n"));
  EXPECT_NE(app(1)->until("\r\n\r\n").find("Authorization: token " + token + "\r\n"), std::string::npos);
  // Another start of it has another one.
  rig_.cell.apps.token = std::string(inside::kTokenSize, 'b');
  app()->end();
  client.send(request("GET /", cookie));
  EXPECT_NE(app(2)->until("\r\n\r\n").find("Authorization: token bbb"), std::string::npos);
  const auto journal = rig_.cell.read_journal(0, 10'000, 64u << 20);
  ASSERT_TRUE(journal.ok());
  for (const auto& record : journal->records)
    EXPECT_EQ(record.record->SerializeAsString().find(token), std::string::npos);
}

TEST_F(AppUse, APortHasNoTokenAndWhatAClientSendsIsRemoved) {
  rig_.cell.apps.token = std::string(inside::kTokenSize, 'a');
  const std::string cookie = cookie_of(exchange(ticket(alice_, "8888"), host("8888"), "http://" + here_));
  RawClient client(server_->port());
  client.send(request("GET /", cookie, "Authorization: token of-the-client\r\n", host("8888")));
  EXPECT_EQ(app()->until("\r\n\r\n").find("Authorization"), std::string::npos);
}

TEST_F(AppUse, WhatTheSessionsOwnProgramServesIsReachedByItsPort) {
  const std::string cookie = cookie_of(exchange(ticket(alice_, "mine"), host("mine"), "http://" + here_));
  RawClient client(server_->port());
  client.send(request("GET /", cookie, "", host("mine")));
  EXPECT_EQ(app()->app(), "8501");
  app()->until("\r\n\r\n");
}

// ---- the way back ----

TEST_F(AppUse, AnAppThatIsNotReadyIsToldInPlainWordsWithAWayBack) {
  const std::string cookie = let_in();
  const std::string link =
      "<a href=\"http://" + here_ + "/session/" + to_string(session_id("s1")) + "/app/jupyter\">";
  for (const auto& [code, words] : {std::pair{"port-not-open", "wait until the app has started"},
                                    {"no-such-app", "jupyter does not run in this session"},
                                    {"app-ended", "shows what it printed, and starts it again"}}) {
    rig_.cell.apps.refusal = make_error(Code::told(code), "no");
    RawClient client(server_->port());
    client.send(request("GET /", cookie));
    const std::string reply = client.reply();
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 503 ")) << reply;
    EXPECT_NE(reply.find(words), std::string::npos) << reply;
    EXPECT_NE(reply.find(link), std::string::npos) << reply;
  }
}

TEST_F(AppUse, WhoIsNotLetInIsLedToTheConsole) {
  const auto link = [](const std::string& console) {
    return "<a href=\"" + console + "/session/" + to_string(session_id("s1")) + "/app/jupyter\">";
  };
  const std::string by_default = link("http://" + here_);
  EXPECT_NE(refusal(request("GET /", "")).find(by_default), std::string::npos);
  EXPECT_NE(refusal(request("GET /", "berth_app=planted")).find(by_default), std::string::npos);
  EXPECT_NE(exchange(std::string("a")).find(by_default), std::string::npos);
  // A cookie knows where its browser signed in.
  const std::string port = std::to_string(server_->port());
  RawClient client(server_->port());
  client.send("POST /v1/sessions/s1/apps/jupyter/open HTTP/1.1\r\nHost: localhost:" + port +
              "\r\nOrigin: http://LOCALHOST:" + port + "\r\nCookie: " + alice_.cookie +
              "\r\nX-Berth-CSRF: " + alice_.csrf + "\r\nContent-Length: 0\r\n\r\n");
  const std::string reply = client.reply();
  const auto json = boost::json::parse(reply.substr(reply.find("\r\n\r\n") + 4));
  const std::string cookie = cookie_of(exchange(std::string(json.at("ticket").as_string())));
  rig_.cell.append({browser_session_ended("b1")});
  const std::string told = refusal(request("GET /", cookie));
  EXPECT_TRUE(told.starts_with("HTTP/1.1 401 ")) << told;
  EXPECT_NE(told.find(link("http://localhost:" + port)), std::string::npos) << told;
  EXPECT_EQ(refusal(request("GET /", "", "", "evil.localhost:" + port)).find("<a "), std::string::npos);
}

// ---- what is counted ----

TEST_F(AppUse, ARequestIsAUseOfTheBrowserSessionThatIsRecordedOnceInAWhile) {
  const std::string cookie = let_in();
  std::atomic<int> uses = 0;
  rig_.cell.on_submit = [&](const v1::Request& sent) {
    if (!sent.record_use().browser_session().empty()) ++uses;
  };
  const auto asks = [&](std::size_t number) {
    RawClient client(server_->port());
    client.send(request("GET /", cookie));
    app(number)->until("\r\n\r\n");
    app(number)->say(kOk);
    EXPECT_TRUE(client.reply().ends_with("ok"));
  };
  rig_.cell.test_clock.wall += 6 * kMinute;
  asks(0);
  asks(1);
  EXPECT_EQ(uses, 1);
  rig_.cell.test_clock.wall += 6 * kMinute;
  asks(2);
  EXPECT_EQ(uses, 2);
}

TEST_F(AppUse, RequestsAreCountedByTheClassOfTheirAnswer) {
  const auto line = [&](const std::string& name) {
    const auto text = rig_.ask({.target = "/metrics"}).body;
    const auto at = text.find("\n" + name + " ");
    if (at == std::string::npos) return std::string("none");
    const auto begin = at + name.size() + 2;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  const std::string cookie = let_in();
  RawClient client(server_->port());
  for (const char* status : {"200 OK", "404 Not Found", "204 No Content"}) {
    client.send(request("GET /", cookie));
    app()->until("\r\n\r\n");
    app()->say("HTTP/1.1 " + std::string(status) +
               (std::string(status).starts_with("204") ? "\r\n\r\n" : "\r\nContent-Length: 0\r\n\r\n"));
    client.until("\r\n\r\n");
    client.take(client.until("\r\n\r\n").size());
  }
  EXPECT_EQ(line("berth_api_app_requests_total{status=\"2xx\"}"), "2");
  EXPECT_EQ(line("berth_api_app_requests_total{status=\"4xx\"}"), "1");
  EXPECT_EQ(line("berth_api_app_streams"), "1");
  rig_.cell.apps.refusal = make_error("port-not-open", "nobody listens");
  RawClient other(server_->port());
  other.send(request("GET /", cookie));
  other.reply();
  EXPECT_EQ(line("berth_api_app_requests_total{status=\"5xx\"}"), "1");
}

}  // namespace
}  // namespace berth::testing
