// The API's sockets: limits, time-outs, streams, and what a stop does to all of them.
#include "controller/api/http/server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "controller/api/auth/cookie.h"
#include "controller/api/auth/csrf.h"
#include "tests/unit/api/server/http_client.h"
#include "tests/unit/api/support/api_rig.h"

namespace berth::testing {
namespace {

void raise_descriptors() {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  ASSERT_GE(limit.rlim_cur, 5'000u) << "both ends of the connections are in this process: raise ulimit -Hn";
}

// While it lives, this process can open nothing.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(0);
    ::close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

class ApiServer : public ::testing::Test {
 protected:
  void start(api::ServerOptions options = {}) {
    options.port = 0;
    auto server = api::Server::start(options, rig_.api);
    ASSERT_TRUE(server.ok()) << to_string(server.error());
    server_ = std::move(*server);
  }
  void TearDown() override {
    rig_.cell.stop_agents();
    server_.reset();
  }

  // The bytes of a signed request.
  std::string bytes(ApiRig::Ask ask, const std::string& more_headers = "") {
    const auto r = rig_.request(ask);
    std::string out = r.method + " " + r.target + " HTTP/1.1\r\nHost: " + r.host +
                      "\r\nX-Berth-Date: " + r.date + "\r\nX-Berth-Version: " + r.version +
                      "\r\nX-Berth-Content-SHA256: " + r.body_hash + "\r\nAuthorization: " + r.authorization +
                      "\r\n" + more_headers;
    if (!r.content_type.empty()) out += "Content-Type: " + r.content_type + "\r\n";
    if (!r.accept.empty()) out += "Accept: " + r.accept + "\r\n";
    if (!r.last_event_id.empty()) out += "Last-Event-ID: " + r.last_event_id + "\r\n";
    if (!r.body.empty()) out += "Content-Length: " + std::to_string(r.body.size()) + "\r\n";
    return out + "\r\n" + r.body;
  }
  // The same without its body.
  std::string header(const ApiRig::Ask& ask) {
    const std::string all = bytes(ask);
    return all.substr(0, all.find("\r\n\r\n") + 4);
  }
  std::uint16_t port() const { return server_->port(); }

  // What a new client of that address is told. Of many that are turned away at once some are told nothing.
  std::string told(const char* from) {
    for (;;) {
      RawClient client(port(), from);
      client.send("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      if (!client.all().empty()) return client.all();
    }
  }

  ApiRig rig_;
  std::unique_ptr<api::Server> server_;
};

constexpr const char* kSession =
    R"({"name": "demo", "image": "python:3.11", "resources": {"cpu": "1", "mem": "256m"}})";

TEST_F(ApiServer, KeepsAConnectionForSeveralRequests) {
  start();
  RawClient client(port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send(bytes({.target = "/v1/whoami"})));
    EXPECT_TRUE(client.reply().starts_with("HTTP/1.1 200 OK\r\n"));
  }
  client.send(bytes({.method = "POST", .target = "/v1/sessions", .body = kSession}) +
              bytes({.target = "/v1/sessions/demo"}));
  EXPECT_TRUE(client.reply().starts_with("HTTP/1.1 201 Created\r\n"));
  EXPECT_TRUE(client.reply().starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ApiServer, ClosesWhenItIsAskedTo) {
  start();
  RawClient client(port());
  client.send(bytes({.target = "/v1/whoami"}, "Connection: close\r\n"));
  EXPECT_TRUE(client.all().starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(client.closed());
}

TEST_F(ApiServer, RefusesABodyAboveAMebibyte) {
  start();
  RawClient client(port());
  client.send("POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n");
  EXPECT_TRUE(client.until("body-too-large").starts_with("HTTP/1.1 413 ")) << client.all();
}

// A body is told apart from the next request in one way alone; whoever else reads it otherwise, a proxy in
// front of this server, would pass on a request that nobody sent.
TEST_F(ApiServer, TakesNoBodyForANextRequest) {
  start();
  const std::string inner = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const char* coding :
       {"Transfer-Encoding: xchunked", "Transfer-Encoding: identity", "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: chunked, identity", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding:", "Transfer-Encoding: xchunked\r\nContent-Length: 2"}) {
    RawClient client(port());
    client.send(std::string("POST /v1/login HTTP/1.1\r\nHost: x\r\n") + coding + "\r\n\r\n" + inner);
    EXPECT_TRUE(client.all().starts_with("HTTP/1.1 400 ")) << coding << client.all();
    EXPECT_EQ(client.all().find("200 OK"), std::string::npos) << coding;
    EXPECT_TRUE(client.closed());
  }
  RawClient old(port());
  old.send(
      "POST /v1/login HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
      inner);
  EXPECT_TRUE(old.all().starts_with("HTTP/1.1 400 ")) << old.all();
  EXPECT_TRUE(old.closed());
}

TEST_F(ApiServer, WhatStandsAroundChunksIsBounded) {
  start();
  const std::string begin = "POST /v1/login HTTP/1.1\r\nHost: localhost:" + std::to_string(port()) +
                            "\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& endless : {"2;" + std::string(200'000, 'a'), std::string(200'000, '0'),
                                     "0\r\nX: " + std::string(200'000, 'y')}) {
    RawClient client(port());
    client.send(begin + endless);
    EXPECT_TRUE(client.until("malformed-request").starts_with("HTTP/1.1 400 ")) << client.all();
  }
}

TEST_F(ApiServer, AnswersHeadAsGetWithoutTheBody) {
  start();
  RawClient client(port());
  client.send("HEAD /livez HTTP/1.1\r\nHost: x\r\n\r\nHEAD /v1/whoami HTTP/1.1\r\nHost: x\r\n\r\n" +
              bytes({.method = "HEAD", .target = "/v1/events", .accept = "text/event-stream"}) +
              "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string all = client.all();
  EXPECT_TRUE(all.starts_with("HTTP/1.1 200 OK\r\n")) << all;
  EXPECT_NE(all.find("\r\nContent-Length: 3\r\n"), std::string::npos) << all;
  const auto second = all.find("\r\n\r\nHTTP/1.1 401 "),
             third = all.find("\r\n\r\nHTTP/1.1 200 ", second + 1);
  EXPECT_NE(second, std::string::npos) << all;
  EXPECT_NE(third, std::string::npos) << all;
  EXPECT_TRUE(all.ends_with("\r\n\r\nok\n")) << all;
}

// A browser that is signed in counts as a key pair does: its bodies in chunks are read, and its connection
// does not give way to strangers.
TEST_F(ApiServer, ABrowsersCookieIsASignature) {
  api::ServerOptions options;
  options.connections_per_address_max = 1;
  start(options);
  const api::BrowserCookie cookie{Uuid::from_hash(blake2b_128("b1")),
                                  std::string(api::kCookieSecretBytes, 's')};
  v1::Event signed_in = browser_session_started("b1", "alice");
  signed_in.mutable_browser_session_started()->set_id(std::string(cookie.id.view()));
  signed_in.mutable_browser_session_started()->set_secret_hash(
      std::string(as_view(api::hash_of_cookie(cookie))));
  rig_.cell.append({signed_in});
  const std::string host = "localhost:" + std::to_string(port());
  const std::string headers =
      " HTTP/1.1\r\nHost: " + host + "\r\nCookie: " + api::cookie_name(test_cluster()) + "=" +
      api::cookie_value(cookie) + "\r\nX-Berth-CSRF: " + api::csrf_token(cookie.secret) +
      "\r\nOrigin: http://" + host + "\r\n";
  RawClient browser(port());
  browser.send("POST /v1/sessions/terminate" + headers +
               "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2000\r\n" +
               std::string(0x2000, ' ') + "\r\n2\r\n{}\r\n0\r\n\r\n");
  const std::string read_whole = browser.reply();
  EXPECT_TRUE(read_whole.starts_with("HTTP/1.1 400 ")) << read_whole;
  EXPECT_TRUE(told("127.0.0.1").starts_with("HTTP/1.1 503 "));
  browser.send("GET /v1/whoami" + headers + "\r\n");
  EXPECT_TRUE(browser.reply().starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ApiServer, ARequestWithoutHostIsRefused) {
  start();
  RawClient client(port());
  client.send("GET /livez HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(client.until("missing-host").starts_with("HTTP/1.1 400 ")) << client.all();
}

// The header alone decides: nothing of the two gigabytes is read.
TEST_F(ApiServer, RefusesTwoGigabytesOnAnyRoute) {
  start();
  for (const api::Route& route : rig_.api.route_table().routes()) {
    std::string target = route.pattern;
    for (std::size_t at = target.find('{'); at != std::string::npos; at = target.find('{'))
      target.replace(at, target.find('}') - at + 1, "x");
    RawClient client(port());
    client.send(bytes({.method = route.method, .target = target}, "Content-Length: 2147483648\r\n"));
    const std::string told = client.until("body-too-large");
    EXPECT_TRUE(told.starts_with("HTTP/1.1 413 ")) << route.operation << ": " << told;
  }
}

TEST_F(ApiServer, RefusesChunksThatAddUpToTooMuch) {
  start();
  RawClient client(port());
  client.send(bytes({.method = "POST", .target = "/v1/sessions"}, "Transfer-Encoding: chunked\r\n"));
  const std::string chunk = "40000\r\n" + std::string(0x40000, 'x') + "\r\n";
  for (int i = 0; i < 8 && client.send(chunk); ++i) {}
  EXPECT_TRUE(client.until("body-too-large").starts_with("HTTP/1.1 413 "));
}

TEST_F(ApiServer, RefusesLongHeadersAndTargets) {
  start();
  RawClient header(port());
  header.send("GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: " + std::string(20'000, 'x') + "\r\n\r\n");
  EXPECT_TRUE(header.until("headers-too-large").starts_with("HTTP/1.1 431 "));
  RawClient target(port());
  target.send("GET /" + std::string(9'000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(target.until("target-too-long").starts_with("HTTP/1.1 414 "));
}

TEST_F(ApiServer, RefusesWhatIsNoHttp) {
  start();
  for (const char* text : {"\r\n\r\nhello\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                           "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
                           "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                           "GET / HTTP/1.1\r\nBad Header: x\r\n\r\n"}) {
    RawClient client(port());
    client.send(text);
    EXPECT_TRUE(client.until("malformed-request").starts_with("HTTP/1.1 400 ")) << text << client.all();
  }
}

TEST_F(ApiServer, SaysWhatToDoAndWhichRequestItWasWhenItRefuses) {
  start();
  for (const std::string& text :
       {std::string("GET\r\n\r\n"), "GET /livez HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n",
        bytes({.target = "/v1/whoami"}, "Host: y\r\n"), bytes({.target = "/v1/whoami"}, "Expect: tea\r\n"),
        bytes({.method = "POST", .target = "/v1/sessions"}, "Transfer-Encoding: chunked\r\n") + "zz\r\n"}) {
    RawClient client(port());
    client.send(text);
    const std::string& told = client.all();
    EXPECT_NE(told.find(R"("hint":")"), std::string::npos) << told;
    EXPECT_EQ(told.find(R"("request_id":"")"), std::string::npos) << told;
    EXPECT_NE(told.find("X-Request-Id: "), std::string::npos) << told;
  }
}

// A program compares it with its own clock. Before the server has heard of a header time there is none to
// tell.
TEST_F(ApiServer, P16_EveryReplyTellsTheTimeByWhichTheClusterCounts) {
  start();
  const auto head_of = [&](const std::string& text) {
    RawClient client(port());
    client.send(text);
    return client.until("\r\n\r\n");
  };
  const std::string stream = bytes({.target = "/v1/events", .accept = "text/event-stream"});
  EXPECT_EQ(head_of(stream).find("Berth-Time"), std::string::npos);
  rig_.cell.heard_time = kTestStart + 7 * kMillisecond + 999;
  for (const std::string& text :
       {stream, bytes({.target = "/v1/whoami"}), bytes({.target = "/v1/sessions/none"}),
        bytes({.target = "/no"}), bytes({.target = "/livez"}), bytes({.method = "HEAD", .target = "/livez"}),
        std::string("GET\r\n\r\n"), std::string("GET /v1/whoami HTTP/1.1\r\nHost: x\r\n\r\n")})
    EXPECT_NE(head_of(text).find("\r\nBerth-Time: 2023-11-14T22:13:20.007Z\r\n"), std::string::npos) << text;
}

TEST_F(ApiServer, AChunkedBodyThatIsMalformedIsABadRequest) {
  start();
  const std::string chunked = "Transfer-Encoding: chunked\r\n",
                    unsigned_one = "POST /v1/agents/a2/join HTTP/1.1\r\nHost: x\r\n" + chunked + "\r\n";
  for (const char* chunk : {"zz\r\n", "-1\r\n", "ffffffffffffffffffff\r\n", "5\r\nhello!!\r\n"})
    for (const std::string& head :
         {bytes({.method = "POST", .target = "/v1/sessions"}, chunked), unsigned_one}) {
      RawClient client(port());
      client.send(head + chunk);
      EXPECT_TRUE(client.all().starts_with("HTTP/1.1 400 ")) << chunk << client.all();
    }
  RawClient large(port());
  large.send(unsigned_one + "1001\r\n" + std::string(0x1001, 'x') + "\r\n");
  EXPECT_TRUE(large.all().starts_with("HTTP/1.1 413 ")) << large.all();
}

TEST_F(ApiServer, RefusesAStrangerBeforeTheBodyIsRead) {
  start();
  for (const char* length : {"Content-Length: 1000", "Transfer-Encoding: chunked",
                             "Content-Length: 1000\r\nExpect: 100-continue"}) {
    RawClient client(port());
    client.send(std::string("POST /v1/sessions HTTP/1.1\r\nHost: x\r\n") + length + "\r\n\r\n");
    const std::string& told = client.all();
    EXPECT_TRUE(told.starts_with("HTTP/1.1 401 ")) << told;
    EXPECT_NE(told.find("credential-missing"), std::string::npos) << told;
  }
}

TEST_F(ApiServer, RefusesAHeaderOfTheSignatureThatIsThereTwice) {
  start();
  for (const char* twice :
       {"Host: y", "X-Berth-Date: 2026-01-01T00:00:00Z", "X-Berth-Version: 2", "Authorization: x",
        "X-Berth-Content-SHA256: x", "Idempotency-Key: a\r\nIdempotency-Key: b",
        "Content-Type: a/b\r\nContent-Type: a/b", "Cookie: a\r\nCookie: b", "Origin: a\r\nOrigin: b",
        "Sec-Fetch-Site: none\r\nSec-Fetch-Site: none", "X-Berth-CSRF: a\r\nX-Berth-CSRF: b"}) {
    RawClient client(port());
    client.send(bytes({.target = "/v1/whoami"}, std::string(twice) + "\r\n"));
    const std::string& told = client.all();
    EXPECT_TRUE(told.starts_with("HTTP/1.1 400 ")) << told;
    EXPECT_NE(told.find("duplicate-header"), std::string::npos) << twice << told;
  }
}

TEST_F(ApiServer, KnowsALoopbackBrowserByItsPortAndItsCookie) {
  start();
  const auto ask = [this](const std::string& host, const std::string& cookie) {
    RawClient client(port());
    client.send("GET /v1/whoami HTTP/1.1\r\nHost: " + host + "\r\nCookie: " + cookie +
                "\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n");
    return client.all();
  };
  const std::string name = api::cookie_name(test_cluster());
  const std::string cookie = name + "=" + api::cookie_value({id_of("x"), std::string(32, 'x')});
  const std::string ours = "localhost:" + std::to_string(port());
  EXPECT_NE(ask(ours, cookie).find("signed-out"), std::string::npos);
  EXPECT_NE(ask(ours, name + "=x").find("credential-missing"), std::string::npos);
  EXPECT_TRUE(ask("evil.example", cookie).starts_with("HTTP/1.1 421 "));
}

TEST_F(ApiServer, AnswersExpectContinue) {
  start();
  const std::string all =
      bytes({.method = "POST", .target = "/v1/sessions", .body = kSession}, "Expect: 100-continue\r\n");
  const auto head = all.find("\r\n\r\n") + 4;
  RawClient client(port());
  client.send(all.substr(0, head));
  EXPECT_TRUE(client.until("\r\n\r\n").starts_with("HTTP/1.1 100 Continue\r\n"));
  client.send(all.substr(head));
  EXPECT_NE(client.until("201 Created").find("201 Created"), std::string::npos);
}

TEST_F(ApiServer, ClosesConnectionsThatDawdle) {
  api::ServerOptions options;
  options.header = options.idle = options.body = std::chrono::seconds(1);
  start(options);
  RawClient idle(port()), slow(port()), kept(port());
  kept.send(bytes({.target = "/v1/whoami"}));
  kept.reply();
  slow.send(header({.method = "POST", .target = "/v1/sessions", .body = kSession}) + "{");
  idle.all();
  slow.all();
  kept.all();
  EXPECT_TRUE(idle.closed());
  EXPECT_TRUE(slow.closed());
  EXPECT_TRUE(kept.closed());
}

TEST_F(ApiServer, WaitsLongerForTheNextRequestThanForTheFirst) {
  api::ServerOptions options;
  options.header = std::chrono::seconds(1);
  start(options);
  RawClient kept(port()), idle(port());
  kept.send(bytes({.target = "/v1/whoami"}));
  kept.reply();
  idle.all();  // its end is a second away
  kept.send(bytes({.target = "/v1/whoami"}));
  EXPECT_TRUE(kept.reply().starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ApiServer, TurnsAwayMoreConnectionsThanItMayHave) {
  api::ServerOptions options;
  options.connections_max = 2;
  start(options);
  RawClient one(port()), two(port());
  one.send(bytes({.target = "/v1/whoami"}));
  one.reply();
  two.send(bytes({.target = "/v1/whoami", .key = "alice-key"}));  // one each: neither gives way
  two.reply();
  RawClient three(port());
  const std::string refused = three.until("too-many-connections");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_NE(refused.find("Retry-After: 1"), std::string::npos);
}

TEST_F(ApiServer, TwoThousandIdleConnectionsShutNobodyOutNotEvenTheirOwnAddress) {
  raise_descriptors();
  start();
  RawClient kept(port());
  kept.send(bytes({.target = "/v1/whoami"}));
  kept.reply();
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 2'000; ++i) idle.push_back(std::make_unique<RawClient>(port()));

  RawClient fresh(port());
  fresh.send(bytes({.target = "/v1/whoami"}));
  EXPECT_TRUE(fresh.reply().starts_with("HTTP/1.1 200 OK\r\n"));
  kept.send(bytes({.target = "/v1/whoami"}));
  EXPECT_TRUE(kept.reply().starts_with("HTTP/1.1 200 OK\r\n")) << "who signed a request gave way";
  EXPECT_TRUE(idle.front()->all().empty());
  EXPECT_TRUE(idle.front()->closed()) << "the oldest gives way";
}

TEST_F(ApiServer, AnAddressWhoseConnectionsAllSignedShutsNobodyElseOut) {
  api::ServerOptions options;
  options.connections_per_address_max = 2;
  start(options);
  std::vector<std::unique_ptr<RawClient>> kept;
  for (int i = 0; i < 2; ++i) {
    kept.push_back(std::make_unique<RawClient>(port(), "127.0.0.2"));
    kept.back()->send(bytes({.target = "/v1/whoami", .key = i == 0 ? "alice-key" : "bob-key"}));
    kept.back()->reply();
  }
  EXPECT_TRUE(told("127.0.0.1").starts_with("HTTP/1.1 200 OK\r\n"));
  const std::string refused = told("127.0.0.2");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_NE(refused.find("Content-Type: application/problem+json"), std::string::npos);
  EXPECT_NE(refused.find("one address may have, 2"), std::string::npos) << refused;

  kept.clear();
  while (!told("127.0.0.2").starts_with("HTTP/1.1 200 OK\r\n")) {}
}

TEST_F(ApiServer, P33_IdleConnectionsOfOneUserShutNobodyOutAtTheirAddress) {
  api::ServerOptions options;
  options.connections_per_address_max = 3;
  start(options);
  std::vector<std::unique_ptr<RawClient>> greedy;
  for (int i = 0; i < 3; ++i) {
    greedy.push_back(std::make_unique<RawClient>(port()));
    greedy.back()->send(bytes({.target = "/v1/whoami"}));
    greedy.back()->reply();
  }
  RawClient other(port());
  other.send(bytes({.target = "/v1/whoami", .key = "alice-key"}));
  EXPECT_TRUE(other.reply().starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(greedy.front()->all().empty());
  EXPECT_TRUE(greedy.front()->closed()) << "the longest idle gives way";
}

TEST_F(ApiServer, GoesOnWhenDescriptorsAreThereAgain) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "UBSan opens a pipe to look at an object: without descriptors it calls each object bad";
#endif
  start();
  RawClient client;  // before there are none
  {
    const NoMoreDescriptors none;
    client.connect(port());
    client.send(bytes({.target = "/v1/whoami"}));
    while (rig_.ask({.target = "/metrics"}).body.find("accept-failed") == std::string::npos) {}
  }
  EXPECT_TRUE(client.reply().starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_F(ApiServer, StreamsEventsAndResumes) {
  start();
  const std::string next = std::to_string(rig_.cell.position() + 1);
  RawClient client(port());
  client.send(bytes({.target = "/v1/events", .accept = "text/event-stream"}));
  EXPECT_NE(client.until(": ok\n").find("Content-Type: text/event-stream"), std::string::npos);
  rig_.cell.append({session_requested("s1"), session_requested("s2")});
  EXPECT_NE(client.until("id: " + next + "-1\n").find("id: " + next + "-0\nevent: SessionRequested\ndata: {"),
            std::string::npos);
  RawClient again(port());
  again.send(bytes(
      {.target = "/v1/events?to=" + next, .accept = "text/event-stream", .last_event_id = next + "-0"}));
  const std::string rest = again.all();
  EXPECT_EQ(rest.find("id: " + next + "-0"), std::string::npos);
  EXPECT_NE(rest.find("id: " + next + "-1"), std::string::npos);
  EXPECT_NE(rest.find("event: end\n"), std::string::npos);
  EXPECT_TRUE(rest.ends_with("0\r\n\r\n"));
}

TEST_F(ApiServer, NoticesThatAWatcherIsGone) {
  start();
  {
    RawClient client(port());
    client.send(bytes({.target = "/v1/events", .accept = "text/event-stream"}));
    client.until(": ok\n");
    EXPECT_NE(rig_.ask({.target = "/metrics"}).body.find("berth_api_watchers 1"), std::string::npos);
  }
  std::string text;
  for (int i = 0; i < 2'000 && text.find("berth_api_watchers 0") == std::string::npos; ++i) {
    std::this_thread::yield();
    text = rig_.ask({.target = "/metrics"}).body;
  }
  EXPECT_NE(text.find("berth_api_watchers 0"), std::string::npos);
}

TEST_F(ApiServer, NamesAPortThatIsInUse) {
  start();
  api::ServerOptions options;
  options.port = port();
  const auto second = api::Server::start(options, rig_.api);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, "port-in-use");
  EXPECT_NE(second.error().message.find(std::to_string(port())), std::string::npos);
  EXPECT_FALSE(second.error().hint.empty());
}

TEST_F(ApiServer, NamesAnAddressThatIsNone) {
  api::ServerOptions options;
  options.address = "somewhere";
  const auto server = api::Server::start(options, rig_.api);
  ASSERT_FALSE(server.ok());
  EXPECT_EQ(server.error().code, "address-invalid");
}

// Nothing of the server is left on them: what goes later need not outlive it.
TEST_F(ApiServer, AtAStopClosesItsConnectionsOnThreadsThatAreNotItsOwn) {
  controller::IoThreads io(2);
  api::ServerOptions options;
  options.port = 0;
  auto server = api::Server::start(options, rig_.api, &io);
  ASSERT_TRUE(server.ok()) << to_string(server.error());
  const std::uint16_t port = (*server)->port();
  rig_.cell.log = FakeCell::Log::kSilent;
  RawClient idle(port), halfway(port), waiting(port), watching(port);
  halfway.send("GET / HT");
  waiting.send(bytes({.method = "POST", .target = "/v1/sessions", .body = kSession}));
  watching.send(bytes({.target = "/v1/events", .accept = "text/event-stream"}));
  watching.until(": ok\n");
  idle.send(bytes({.target = "/v1/whoami"}));
  EXPECT_TRUE(idle.reply().starts_with("HTTP/1.1 200 "));
  (*server)->stop();
  EXPECT_NE(rig_.api.services().metrics.text(rig_.cell, 0, 0).find("berth_api_connections 0\n"),
            std::string::npos);
  for (RawClient* client : {&idle, &halfway, &waiting, &watching}) {
    client->all();
    EXPECT_TRUE(client->closed());
  }
}

TEST_F(ApiServer, StopsWithRequestsWaitingAndStreamsOpen) {
  start();
  rig_.cell.log = FakeCell::Log::kSilent;
  RawClient waiting(port()), watching(port());
  waiting.send(bytes({.method = "POST", .target = "/v1/sessions", .body = kSession}));
  watching.send(bytes({.target = "/v1/events", .accept = "text/event-stream"}));
  watching.until(": ok\n");
  server_->stop();
  server_.reset();
  waiting.all();
  watching.all();
  EXPECT_TRUE(waiting.closed());
  EXPECT_TRUE(watching.closed());
}

}  // namespace
}  // namespace berth::testing
