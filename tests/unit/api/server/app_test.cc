// Apps through the proxy, over sockets: how a browser gets in, what goes through and what does not, and what
// an app, a page or a client that means harm gets. What the proxy adds is app_use_test.cc.
#include <thread>

#include "tests/unit/api/server/apps_rig.h"

namespace berth::testing {
namespace {

class Apps : public AppsRig {};

// ---- how a browser gets in ----

TEST_F(Apps, ATicketBecomesACookieThatOpensTheApp) {
  const std::string reply = exchange(ticket(alice_));
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 303 ")) << reply;
  EXPECT_NE(reply.find("Location: /\r\n"), std::string::npos);
  EXPECT_NE(reply.find("; HttpOnly; SameSite=Lax; Path=/\r\n"), std::string::npos) << reply;
  RawClient client(server_->port());
  client.send(request("GET /lab?x=1", cookie_of(reply)));
  EXPECT_EQ(app()->app(), "jupyter");
  const std::string asked = app()->until("\r\n\r\n");
  EXPECT_TRUE(asked.starts_with("GET /lab?x=1 HTTP/1.1\r\n")) << asked;
  EXPECT_NE(asked.find("Host: " + host() + "\r\n"), std::string::npos) << asked;
  EXPECT_NE(asked.find("Cookie: theme=dark\r\n"), std::string::npos) << asked;
  EXPECT_EQ(asked.find("berth_"), std::string::npos) << asked;
  app()->say(
      "HTTP/1.1 200 Fine\r\nContent-Length: 5\r\nSet-Cookie: a=b; Path=/\r\nSet-Cookie: berth_app=evil\r\n"
      "Set-Cookie: c=d; Domain=localhost\r\nAccess-Control-Allow-Origin: *\r\nClear-Site-Data: \"*\"\r\n"
      "Service-Worker-Allowed: /\r\n\r\nhello");
  const std::string answer = client.reply();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 Fine\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\nhello")) << answer;
  EXPECT_NE(answer.find("Set-Cookie: a=b; Path=/\r\n"), std::string::npos) << answer;
  for (const char* gone : {"evil", "Domain", "Access-Control", "Clear-Site", "Service-Worker"})
    EXPECT_EQ(answer.find(gone), std::string::npos) << answer;
}

TEST_F(Apps, AnOpeningIsAnEvent) {
  const Offset before = rig_.cell.position();
  let_in();
  const auto page = rig_.cell.read_journal(before + 1, 100, 1u << 20);
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->records.size(), 1u);
  const auto& opened = page->records[0].record->events(0).kernel_opened();
  EXPECT_EQ(opened.kind(), v1::WAY_KIND_APP);
  EXPECT_EQ(opened.name(), "jupyter");
}

TEST_F(Apps, ATicketOpensOnceAndForItsOwnAppAlone) {
  const std::string one = ticket(alice_);
  EXPECT_TRUE(exchange(one, host("board"), "http://" + here_).starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(exchange(one, host("jupyter", "s2"), "http://" + here_).starts_with("HTTP/1.1 401 "));
  for (const std::string& origin : {std::string(), std::string("null"), std::string("http://evil.example"),
                                    "http://" + host(), "http://" + host("other")})
    EXPECT_TRUE(exchange(one, host(), origin).starts_with("HTTP/1.1 403 ")) << origin;
  EXPECT_TRUE(exchange(one).starts_with("HTTP/1.1 303 "));
  EXPECT_NE(exchange(one).find("ticket-used"), std::string::npos);
  const std::string late = ticket(alice_);
  rig_.cell.test_clock.wall += 31 * kSecond;
  EXPECT_NE(exchange(late).find("ticket-expired"), std::string::npos);
  EXPECT_NE(exchange("").find("pass-invalid"), std::string::npos);
  EXPECT_NE(exchange(std::string(3000, 'a')).find("pass-invalid"), std::string::npos);
}

TEST_F(Apps, ATicketIsForWhoOwnsTheSession) {
  const Signed bob = sign_in("b2", "bob"), admin = sign_in("b3", "admin");
  EXPECT_TRUE(ask_open(bob).starts_with("HTTP/1.1 404 ")) << ask_open(bob);
  EXPECT_TRUE(ask_open(admin, "jupyter", to_string(session_id("s1"))).starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(ask_open(alice_, "no.name").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(ask_open(alice_, "70000").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(ask_open(alice_, "8888").starts_with("HTTP/1.1 200 "));
  for (const auto& [app, code] : {std::pair{"nothing", "unknown-app"},
                                  {"top", "app-in-terminal"},
                                  {"db", "app-not-http"},
                                  {"2200", "port-refused"}})
    EXPECT_NE(ask_open(alice_, app).find(code), std::string::npos) << ask_open(alice_, app);
  const auto by_key = rig_.ask(
      {.method = "POST", .target = "/v1/sessions/s1/apps/jupyter/open", .body = "{}", .key = "alice-key"});
  EXPECT_EQ(by_key.status, 403u);
  const std::string ticket_of_alice = ticket(alice_);
  rig_.cell.append({browser_session_ended("b1")});
  EXPECT_NE(exchange(ticket_of_alice).find("signed-out"), std::string::npos);
}

TEST_F(Apps, WithoutItsCookieAnAppIsClosed) {
  const std::string cookie = let_in();
  EXPECT_TRUE(refusal(request("GET /", "")).starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(refusal(request("GET /", "berth_app=planted")).starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(refusal(request("GET /", alice_.cookie)).starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(refusal(request("GET /", "berth_app=" + ticket(alice_))).starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(refusal(request("GET /", cookie, "", host("other"))).starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(refusal(request("GET /", cookie, "", host("jupyter", "s2"))).starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(refusal(request("GET /.berth/x", cookie)).starts_with("HTTP/1.1 404 "));
  for (const char* name : {"x.localhost:", "jupyter--0.localhost:", "evil.localhost:"})
    EXPECT_TRUE(refusal(request("GET /v1/whoami", cookie, "", name + std::to_string(server_->port())))
                    .starts_with("HTTP/1.1 421 "))
        << name;
  // A planted one beside the right one harms nobody.
  RawClient client(server_->port());
  client.send(request("GET /", "berth_app=planted; " + cookie));
  app()->until("\r\n\r\n");
  app()->say(kOk);
  EXPECT_TRUE(client.reply().ends_with("ok"));
}

TEST_F(Apps, APageOfAnotherOriginUsesNoApp) {
  const std::string cookie = let_in();
  const std::string length = "Content-Length: 0\r\n",
                    socket = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  for (const std::string& origin :
       {std::string(), std::string("Origin: null\r\n"), "Origin: http://" + here_ + "\r\n",
        "Origin: http://" + host("other") + "\r\n", "Origin: https://" + host() + "\r\n"}) {
    EXPECT_TRUE(refusal(request("POST /api", cookie, origin + length)).starts_with("HTTP/1.1 403 "))
        << origin;
    EXPECT_TRUE(refusal(request("DELETE /api", cookie, origin)).starts_with("HTTP/1.1 403 ")) << origin;
    EXPECT_TRUE(refusal(request("GET /ws", cookie, origin + socket)).starts_with("HTTP/1.1 403 ")) << origin;
  }
  for (const char* part : {"no-cors\r\nSec-Fetch-Dest: script", "cors", "navigate\r\nSec-Fetch-Dest: iframe"})
    EXPECT_TRUE(refusal(request("GET /", cookie,
                                std::string("Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: ") + part + "\r\n"))
                    .starts_with("HTTP/1.1 403 "))
        << part;
}

TEST_F(Apps, TheConsoleIsNotOnAnAppsOrigin) {
  EXPECT_TRUE(
      refusal("GET /v1/whoami HTTP/1.1\r\nHost: " + host() + "\r\nCookie: " + alice_.cookie + "\r\n\r\n")
          .starts_with("HTTP/1.1 401 "));
  auto signed_request = rig_.request({.target = "/v1/whoami"});
  signed_request.host = "jupyter--" + to_hex(session_id("s1").view()) + ".localhost";
  sign_request(signed_request, "admin-key", secret_of("admin-key"));
  EXPECT_NE(rig_.send(signed_request).status, 200u);
}

// ---- what goes through ----

TEST_F(Apps, BodiesGoBothWaysInPieces) {
  const std::string cookie = let_in();
  constexpr std::size_t kSize = 64u << 20;
  RawClient client(server_->port());
  std::thread sends([&] {
    client.send(
        request("POST /upload", cookie, own_origin() + "Content-Length: " + std::to_string(kSize) + "\r\n"));
    const std::string piece(1u << 20, 'u');
    for (std::size_t sent = 0; sent < kSize; sent += piece.size()) client.send(piece);
  });
  const auto there = app();
  EXPECT_NE(there->until("\r\n\r\n").find("Content-Length: 67108864\r\n"), std::string::npos);
  for (std::size_t came = 0; came < kSize; came += 1u << 20)
    ASSERT_EQ(there->take(1u << 20), std::string(1u << 20, 'u'));
  sends.join();
  there->say("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kSize) + "\r\n\r\n");
  const std::string piece(1u << 20, 'd');
  for (std::size_t said = 0; said < kSize; said += piece.size()) there->say(piece);
  EXPECT_EQ(client.until("\r\n\r\n").substr(0, 15), "HTTP/1.1 200 OK");
  client.take(client.until("\r\n\r\n").find("\r\n\r\n") + 4);
  for (std::size_t came = 0; came < kSize; came += 1u << 20) ASSERT_EQ(client.take(1u << 20), piece);
}

TEST_F(Apps, ARequestRightBehindABodyIsTheNextOne) {
  const std::string cookie = let_in();
  for (const bool in_one : {true, false}) {
    SCOPED_TRACE(in_one);
    const std::size_t number = rig_.cell.apps.opened();
    RawClient client(server_->port());
    const std::string post = request("POST /p", cookie, own_origin() + "Content-Length: 8\r\n");
    const std::string next = "abcd" + request("GET /next", cookie);
    client.send(in_one ? post + "1234" + next : post + "1234");
    app(number)->until("\r\n\r\n1234");
    if (!in_one) client.send(next);
    EXPECT_EQ(app(number)->take(4), "abcd");
    app(number)->say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst");
    EXPECT_TRUE(client.reply().ends_with("\r\n\r\nfirst"));
    EXPECT_TRUE(app(number)->until("\r\n\r\n").starts_with("GET /next "));
    app(number)->say(kOk);
    EXPECT_TRUE(client.reply().ends_with("\r\n\r\nok"));
  }
}

TEST_F(Apps, ABodyInChunksIsOneOnTheOtherSide) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  client.send(request("PUT /x", cookie, own_origin() + "Transfer-Encoding: chunked\r\n") +
              "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n");
  const auto there = app();
  EXPECT_NE(there->until("\r\n\r\n").find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  const std::string body = there->until("0\r\n\r\n");
  EXPECT_NE(body.find("abc"), std::string::npos) << body;
  EXPECT_EQ(body.find("Trailer"), std::string::npos) << body;
  there->say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwxyz\r\n");
  EXPECT_NE(client.until("wxyz").find("Transfer-Encoding: chunked"), std::string::npos);  // as it comes
  there->say("0\r\nX: y\r\n\r\n");
  EXPECT_TRUE(client.until("\r\n0\r\n\r\n").ends_with("\r\n0\r\n\r\n"));
  EXPECT_EQ(client.until("\r\n0\r\n\r\n").find("X: y"), std::string::npos);
}

TEST_F(Apps, AnAnswerWithoutALengthEndsWithItsConnection) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  client.send(request("GET /", cookie));
  app()->until("\r\n\r\n");
  app()->say("HTTP/1.0 200 OK\r\n\r\nuntil the end");
  app()->end();
  EXPECT_NE(client.until("\r\n0\r\n\r\n").find("until the end"), std::string::npos);
  // One that was cut is not taken for one that ended.
  client.take(client.until("\r\n0\r\n\r\n").size());
  client.send(request("GET /", cookie));
  app(1)->until("\r\n\r\n");
  app(1)->say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  app(1)->end();
  EXPECT_TRUE(client.all().ends_with("half"));
  EXPECT_TRUE(client.closed());
}

TEST_F(Apps, AConnectionIsKeptForReadsAlone) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  for (int i = 0; i < 3; ++i) {
    client.send(request("GET /" + std::to_string(i), cookie));
    app()->until("\r\n\r\n");
    app()->say(kOk);
    EXPECT_TRUE(client.reply().ends_with("ok"));
  }
  client.send(request("HEAD /h", cookie));
  EXPECT_TRUE(app()->until("\r\n\r\n").starts_with("HEAD /h"));
  app()->say("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n");
  EXPECT_NE(client.until("\r\n\r\n").find("Content-Length: 99"), std::string::npos);
  client.take(client.until("\r\n\r\n").size());
  EXPECT_EQ(rig_.cell.apps.opened(), 1u);
  app()->end();  // while nobody asks
  client.send(request("GET /again", cookie));
  EXPECT_TRUE(app(1)->until("\r\n\r\n").starts_with("GET /again"));
  app(1)->say("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 304 Not Modified\r\nETag: e\r\n\r\n");
  EXPECT_TRUE(client.until("\r\n\r\n").starts_with("HTTP/1.1 304 "));
  client.take(client.until("\r\n\r\n").size());
  client.send(request("POST /p", cookie, own_origin() + "Content-Length: 1\r\n") + "x");
  EXPECT_TRUE(app(2)->until("\r\n\r\nx").starts_with("POST /p"));
  app(2)->say("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.until("\r\n\r\n").starts_with("HTTP/1.1 204 "));
  EXPECT_TRUE(app(2)->wait_until_gone());
}

TEST_F(Apps, AWebSocketIsBytesBothWays) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  client.send(
      request("GET /ws", cookie,
              own_origin() + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: abc\r\n") +
      "early");
  const auto there = app();
  const std::string asked = there->until("\r\n\r\n");
  EXPECT_NE(asked.find("Connection: Upgrade\r\n"), std::string::npos) << asked;
  EXPECT_NE(asked.find("Upgrade: websocket\r\n"), std::string::npos) << asked;
  there->say(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Accept: def\r\n\r\nfirst");
  EXPECT_NE(client.until("first").find("Sec-WebSocket-Accept: def\r\n"), std::string::npos);
  EXPECT_EQ(there->take(5), "early");
  for (int i = 0; i < 100; ++i) {
    client.send("ping");
    EXPECT_EQ(there->take(4), "ping");
    there->say("pong!");
  }
  client.until("first");
  there->end();
  EXPECT_TRUE(client.all().ends_with("pong!"));
  client.shut_down();
  EXPECT_TRUE(there->wait_until_gone());
}

TEST_F(Apps, WhoWaitsForLeaveToSendABodyGetsIt) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  client.send(request("PUT /x", cookie, own_origin() + "Expect: 100-continue\r\nContent-Length: 4\r\n"));
  EXPECT_TRUE(client.until("\r\n\r\n").starts_with("HTTP/1.1 100 "));
  client.send("body");
  EXPECT_EQ(app()->until("body").find("Expect"), std::string::npos);
  app()->say(kOk);
  EXPECT_NE(client.until("ok").find("HTTP/1.1 200 "), std::string::npos);
}

TEST_F(Apps, WhoReadsSlowlyKeepsTheOtherSideFromWriting) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  client.send(request("GET /", cookie));
  app()->until("\r\n\r\n");
  constexpr std::size_t kSize = 64u << 20;
  app()->say("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kSize) + "\r\n\r\n" +
             std::string(kSize, 'x'));
  client.until("\r\n\r\n");
  EXPECT_GT(app()->untaken(), kSize / 2);  // what lies here and in the sockets is little
  client.take(client.until("\r\n\r\n").find("\r\n\r\n") + 4);
  EXPECT_EQ(client.take(kSize).size(), kSize);
}

// ---- apps and clients that do it wrong ----

TEST_F(Apps, AnAppThatFailsIsToldApart) {
  const std::string cookie = let_in();
  rig_.cell.apps.refusal = make_error("port-not-open", "nobody listens");
  RawClient client(server_->port());
  client.send(request("GET /", cookie));
  std::string reply = client.reply();
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 503 ")) << reply;
  EXPECT_NE(reply.find("Retry-After: 2\r\n"), std::string::npos);
  EXPECT_NE(reply.find("nothing listens on jupyter in this session yet"), std::string::npos) << reply;
  rig_.cell.apps.refusal.reset();
  const auto answered = [&](std::size_t number, const std::string& said) {
    RawClient other(server_->port());
    other.send(request("GET /", cookie));
    app(number)->until("\r\n\r\n");
    app(number)->say(said);
    app(number)->end();
    return other.reply();
  };
  EXPECT_TRUE(answered(1, "").starts_with("HTTP/1.1 502 "));
  EXPECT_TRUE(answered(2, "SSH-2.0\r\n").starts_with("HTTP/1.1 502 "));
  EXPECT_TRUE(
      answered(3, "HTTP/1.1 200 OK\r\nX: " + std::string(1u << 20, 'x')).starts_with("HTTP/1.1 502 "));
  EXPECT_TRUE(answered(4, "HTTP/1.1 101 Go\r\nUpgrade: websocket\r\n\r\n").starts_with("HTTP/1.1 502 "));
  EXPECT_TRUE(
      answered(5, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
          .starts_with("HTTP/1.1 502 "));
  EXPECT_TRUE(answered(6, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc")
                  .starts_with("HTTP/1.1 502 "));
}

// What it says beyond the length is no answer to anybody, whether it comes with the answer or after it.
TEST_F(Apps, AnAnswerEndsWhereItsLengthSays) {
  const std::string cookie = let_in();
  const std::string evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n";
  for (const auto& [first, then] :
       {std::pair(head + "answer" + evil, std::string()), std::pair(head + "ans", "wer" + evil)}) {
    SCOPED_TRACE(first);
    const std::size_t number = rig_.cell.apps.opened();
    RawClient client(server_->port());
    client.send(request("GET /", cookie));
    app(number)->until("\r\n\r\n");
    app(number)->say(first);
    if (!then.empty()) {
      client.until("ans");
      app(number)->say(then);
    }
    EXPECT_TRUE(client.reply().ends_with("\r\n\r\nanswer"));
    client.send(request("GET /next", cookie));
    EXPECT_TRUE(app(number + 1)->until("\r\n\r\n").starts_with("GET /next "));
    app(number + 1)->say(kOk);
    EXPECT_TRUE(client.reply().ends_with("\r\n\r\nok"));
  }
}

TEST_F(Apps, WhatAnAppSaysWithoutBeingAskedAnswersNothing) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  client.send(request("GET /", cookie));
  app()->until("\r\n\r\n");
  app()->say(kOk);
  EXPECT_TRUE(client.reply().ends_with("ok"));
  app()->say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
  while (app()->untaken() > 0) std::this_thread::yield();
  app()->settle();
  client.send(request("GET /next", cookie));
  EXPECT_TRUE(app(1)->until("\r\n\r\n").starts_with("GET /next "));
  app(1)->say(kOk);
  EXPECT_TRUE(client.reply().ends_with("\r\n\r\nok"));
}

TEST_F(Apps, ALengthIsPassedOnAsOneNumber) {
  const std::string cookie = let_in();
  for (const char* list : {"4, 4", "4,4,4", "4 4"})
    EXPECT_TRUE(refusal(request("POST /", cookie, own_origin() + "Content-Length: " + list + "\r\n") + "abcd")
                    .starts_with("HTTP/1.1 400 "))
        << list;
  RawClient client(server_->port());
  client.send(request("POST /", cookie, own_origin() + "Content-Length: 0000004\r\n") + "abcd");
  EXPECT_NE(app()->until("abcd").find("Content-Length: 4\r\n"), std::string::npos);
  app()->say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok");
  const std::string reply = client.reply();
  EXPECT_TRUE(reply.ends_with("\r\n\r\nok")) << reply;
  EXPECT_EQ(reply.find("Content-Length"), reply.rfind("Content-Length")) << reply;
  client.send(request("GET /", cookie));
  app()->until("\r\n\r\n");
  app()->say("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(client.until("\r\n\r\n").find("Content-Length"), std::string::npos);
}

TEST_F(Apps, AnOldClientIsToldNoInterimAnswer) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  client.send("POST / HTTP/1.0\r\nHost: " + host() + "\r\nCookie: " + cookie + "\r\n" + own_origin() +
              "Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc");
  app()->until("abc");
  app()->say(kOk);
  EXPECT_TRUE(client.until("ok").starts_with("HTTP/1.1 200 "));
}

TEST_F(Apps, ChunksThatAreNoneAreRefusedInWords) {
  const std::string cookie = let_in();
  for (const char* chunks :
       {"xyz\r\n", "-1\r\na\r\n", "0x4\r\nabcd\r\n", "2\r\nabX\r\n", "fffffffffffffffff\r\n"}) {
    SCOPED_TRACE(chunks);
    RawClient client(server_->port());
    client.send(request("POST /", cookie, own_origin() + "Transfer-Encoding: chunked\r\n") + chunks +
                "0\r\n\r\n");
    const std::string reply = client.all();
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 400 ")) << reply;
    EXPECT_NE(reply.find("malformed-request"), std::string::npos);
    EXPECT_TRUE(client.closed());
  }
}

class ImpatientApps : public AppsRig {
 protected:
  void SetUp() override {
    alice_ = sign_in("b1", "alice");
    api::ServerOptions options;
    options.app_silence = std::chrono::seconds(1);
    start(options);
  }
};

TEST_F(ImpatientApps, WhoSaysNothingForLongIsCut) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  client.send(request("POST /", cookie, own_origin() + "Content-Length: 9\r\n") + "part");
  app()->until("part");
  client.all();
  EXPECT_TRUE(client.closed());
  EXPECT_TRUE(app()->wait_until_gone());
}

TEST_F(Apps, AnAppMayAnswerBeforeTheRequestsEnd) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  client.send(request("POST /", cookie, own_origin() + "Content-Length: 1000000\r\n") + "begin");
  app()->until("begin");
  app()->say("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
  EXPECT_TRUE(client.until("no").starts_with("HTTP/1.1 413 "));
  client.all();
  EXPECT_TRUE(client.closed());
  // The rest of a body is taken from who sends it, so that the answer is read.
  RawClient eager(server_->port());
  const std::size_t number = rig_.cell.apps.opened();
  std::thread sends([&] {
    eager.send(request("POST /", cookie, own_origin() + "Content-Length: 4000000\r\n") +
               std::string(4'000'000, 'x'));
  });
  app(number)->until("xxx");
  app(number)->say("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
  EXPECT_TRUE(eager.until("\r\n\r\nno").starts_with("HTTP/1.1 413 "));
  sends.join();
}

TEST_F(Apps, ARequestIsReadInOneWayAlone) {
  const std::string cookie = let_in();
  const std::string inner = "GET /inner HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const char* fields :
       {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: +5\r\n", "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n", "Transfer-Encoding : chunked\r\n",
        "Content-Length: 5\nX: y\r\n", "Host: other\r\n"})
    EXPECT_TRUE(
        refusal(request("POST /", cookie, own_origin() + fields) + inner).starts_with("HTTP/1.1 400 "))
        << fields;
  for (const char* first : {"GET http://evil.example/", "CONNECT x:1", "CONNECT /", "TRACE /", "OPTIONS *"})
    EXPECT_TRUE(refusal(request(first, cookie, own_origin())).starts_with("HTTP/1.1 400 ")) << first;
}

TEST_F(Apps, AClientThatGoesAwayFreesTheApp) {
  const std::string cookie = let_in();
  for (const char* headers : {"", "Connection: Upgrade\r\nUpgrade: websocket\r\n"}) {
    SCOPED_TRACE(headers);
    RawClient client(server_->port());
    client.send(request("GET /slow", cookie, own_origin() + headers));
    const auto there = app(headers[0] == '\0' ? 0 : 1);
    there->until("\r\n\r\n");
    client.shut_down();
    EXPECT_TRUE(there->wait_until_gone());
  }
}

TEST_F(Apps, AClientWhoseUpgradeWasAnsweredLateIsNotTakenForGoneWhenItSpeaks) {
  const std::string cookie = let_in();
  RawClient client(server_->port()), later(server_->port());
  client.send(request("GET /ws", cookie, own_origin() + "Connection: Upgrade\r\nUpgrade: websocket\r\n"));
  const auto there = app(0);
  there->until("\r\n\r\n");
  later.send(request("GET /slow", cookie));
  app(1)->until("\r\n\r\n");
  later.shut_down();
  EXPECT_TRUE(app(1)->wait_until_gone()) << "the first is looked at by now, too";
  there->say("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
  client.until("\r\n\r\n");
  for (int i = 0; i < 100; ++i) {
    client.send("ping");
    EXPECT_EQ(there->take(4), "ping");
    there->say("pong");
    client.until("pong");
  }
}

// ---- what ends it ----

TEST_F(Apps, WhatIsOpenIsCutWithTheRightToIt) {
  const std::string cookie = let_in();
  RawClient idle(server_->port()), busy(server_->port()), socket(server_->port());
  idle.send(request("GET /", cookie));
  app()->until("\r\n\r\n");
  app()->say(kOk);
  EXPECT_TRUE(idle.reply().ends_with("ok"));
  busy.send(request("GET /", cookie));
  app(1)->until("\r\n\r\n");
  socket.send(request("GET /", cookie, own_origin() + "Connection: Upgrade\r\nUpgrade: websocket\r\n"));
  app(2)->until("\r\n\r\n");
  app(2)->say("HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  socket.until("\r\n\r\n");
  rig_.cell.append({session_terminating("s1")});
  for (RawClient* client : {&idle, &busy, &socket}) {
    client->all();
    EXPECT_TRUE(client->closed());
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(app(i)->wait_until_gone());
  EXPECT_TRUE(refusal(request("GET /", cookie)).starts_with("HTTP/1.1 409 "));
}

TEST_F(Apps, AUserWhoIsDisabledLosesWhatIsOpen) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  client.send(request("GET /", cookie));
  app()->until("\r\n\r\n");
  v1::Event disabled = user_defined("alice");
  disabled.mutable_user_defined()->set_disabled(true);
  rig_.cell.append({disabled});
  client.all();
  EXPECT_TRUE(client.closed());
  EXPECT_TRUE(refusal(request("GET /", cookie)).starts_with("HTTP/1.1 401 "));
}

TEST_F(Apps, ALogoutEndsAllAppsOfTheBrowser) {
  const std::string cookie = let_in();
  RawClient client(server_->port());
  client.send(request("GET /", cookie));
  app()->until("\r\n\r\n");
  rig_.cell.append({browser_session_ended("b1")});
  client.all();
  EXPECT_TRUE(client.closed());
  EXPECT_TRUE(refusal(request("GET /", cookie)).starts_with("HTTP/1.1 401 "));
}

}  // namespace
}  // namespace berth::testing
