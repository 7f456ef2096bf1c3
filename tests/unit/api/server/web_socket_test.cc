// WebSockets of the server: the protocol's own rules, hostile frames, clients that are slow, silent or gone,
// and what a stop tells them.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "controller/api/http/server.h"
#include "tests/support/limits.h"
#include "tests/unit/api/server/web_socket_client.h"
#include "tests/unit/api/support/stream_client.h"

namespace berth::testing {
namespace {

using std::chrono::milliseconds;
using Client = WebSocketClient;

constexpr const char* kAsk = R"({"command": ["cat"]})";

class WebSockets : public ::testing::Test {
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

  std::string request(const std::string& what = "exec", const std::string& more = "",
                      const std::string& protocol = "berth.session.v1") {
    const auto r = stream_request(rig_, what);
    return "GET " + r.target + " HTTP/1.1\r\nHost: " + r.host + "\r\nX-Berth-Date: " + r.date +
           "\r\nX-Berth-Version: " + r.version + "\r\nX-Berth-Content-SHA256: " + r.body_hash +
           "\r\nAuthorization: " + r.authorization + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
           "Sec-WebSocket-Key: " + r.web_socket_key + "\r\nSec-WebSocket-Version: 13\r\n" +
           "Sec-WebSocket-Protocol: " + protocol + "\r\n" + more + "\r\n";
  }
  std::unique_ptr<Client> connect(const std::string& what = "exec") {
    return std::make_unique<Client>(server_->port(), request(what));
  }
  // A stream that has begun.
  std::unique_ptr<Client> begun(const std::string& what = "exec", const std::string& ask = kAsk) {
    auto client = connect(what);
    const std::size_t number = rig_.cell.channels.opened();
    client->send(Client::kText, ask);
    agent_ = rig_.cell.channels.await(number);
    agent_->request();
    agent_->say(inside::Begun{});
    EXPECT_TRUE(client->message().starts_with(R"({"begun")"));
    return client;
  }
  void wait_for_streams(const std::string& count) {
    const std::string line = "berth_api_inside_streams " + count + "\n";
    for (int i = 0; i < 2000; ++i) {
      if (rig_.ask({.target = "/metrics"}).body.find(line) != std::string::npos) return;
      std::this_thread::sleep_for(milliseconds(10));
    }
    ADD_FAILURE() << "there are not " << count << " streams";
  }

  ApiRig rig_{small_cluster() + running("s1", "a1"), quiet_options()};
  std::unique_ptr<api::Server> server_;
  std::shared_ptr<FakeChannel> agent_;
};

TEST_F(WebSockets, AProgramRunsOverASocket) {
  start();
  rig_.cell.heard_time = kTestStart;
  const auto client = begun();
  EXPECT_TRUE(client->head().starts_with("HTTP/1.1 101 ")) << client->head();
  EXPECT_NE(client->head().find("Berth-Time: 2023-11-14T22:13:20.000Z\r\n"), std::string::npos);
  EXPECT_NE(client->head().find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), std::string::npos);
  EXPECT_NE(client->head().find("Sec-WebSocket-Protocol: berth.session.v1\r\n"), std::string::npos);
  EXPECT_NE(client->head().find("X-Request-Id: "), std::string::npos);
  client->send(Client::kBinary, "typed");
  EXPECT_EQ(agent_->next().payload, "typed");
  agent_->say(inside::Out{std::string(60'000, 'x')});
  EXPECT_EQ(client->message(), "\1" + std::string(60'000, 'x'));
  agent_->say(inside::Ended{3, 0});
  EXPECT_EQ(client->message(), R"({"ended":{"exit_code":3,"signal":0}})");
  EXPECT_EQ(client->message(), "close 1000");
  client->send(Client::kClose, "\x03\xe8");
  client->tcp().all();
  EXPECT_TRUE(client->tcp().closed());
  wait_for_streams("0");
}

TEST_F(WebSockets, AMessageMayComeInFragments) {
  start();
  const auto client = connect();
  client->send(Client::kText, R"({"command": )", {.last = false});
  client->send(Client::kPing, "are you there");  // in between
  const auto pong = client->frame();
  ASSERT_TRUE(pong);
  EXPECT_EQ(pong->opcode, Client::kPong);
  EXPECT_EQ(pong->payload, "are you there");
  client->send(Client::kMore, R"(["cat"])", {.last = false});
  client->send(Client::kMore, "}");
  EXPECT_EQ(rig_.cell.channels.await()->request().args, std::vector<std::string>{"cat"});
}

TEST_F(WebSockets, ARequestThatIsRefusedIsAnsweredAsAnyOther) {
  start();
  Client other(server_->port(), request("exec", "", "chat"));
  EXPECT_TRUE(other.head().starts_with("HTTP/1.1 400 ")) << other.head();
  EXPECT_NE(other.tcp().until("unknown-subprotocol").find("unknown-subprotocol"), std::string::npos);
  Client foreign(server_->port(), request("exec", "Origin: http://evil.example\r\n"));
  EXPECT_TRUE(foreign.head().starts_with("HTTP/1.1 403 "));
  Client twice(server_->port(), request("exec", "Sec-WebSocket-Version: 13\r\n"));
  EXPECT_TRUE(twice.head().starts_with("HTTP/1.1 400 "));
}

// What a proxy in front may have taken for the next request.
TEST_F(WebSockets, NothingIsReadBehindTheRequestBeforeItsAnswer) {
  start();
  RawClient client(server_->port());
  client.send(request() + "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(client.all().starts_with("HTTP/1.1 400 ")) << client.all();
  wait_for_streams("0");
}

TEST_F(WebSockets, AFrameThatAnnouncesAGibibyteIsNotWaitedFor) {
  start();
  const auto client = begun();
  client->send(Client::kBinary, "x", {.announces = 1u << 30});
  EXPECT_EQ(client->end(), "1009");
  EXPECT_TRUE(agent_->wait_until_gone());
}

TEST_F(WebSockets, FragmentsThatAreTooLongTogetherAreTooMuch) {
  start();
  const auto client = begun();
  client->send(Client::kBinary, std::string(60'000, 'x'), {.last = false});
  for (int i = 0; i < 5; ++i) client->send(Client::kMore, std::string(60'000, 'x'), {.last = false});
  EXPECT_EQ(client->end(), "1009");
  EXPECT_TRUE(agent_->wait_until_gone());
}

TEST_F(WebSockets, ABinaryMessageOfMoreThan64KiBIsTooMuch) {
  start();
  const auto client = begun();
  client->send(Client::kBinary, std::string(65'537, 'x'));
  EXPECT_EQ(client->end(), "message-invalid 1009");
}

TEST_F(WebSockets, BrokenFramesCloseIt) {
  start();
  struct Case {
    const char* what;
    std::uint8_t opcode;
    std::string payload;
    Client::Form form;
    const char* end;
  };
  const Case cases[] = {{"no mask", Client::kText, "{}", {.masked = false}, "1002"},
                        {"a reserved bit", Client::kText, "{}", {.reserved = 4}, "1002"},
                        {"an unknown opcode", 5, "{}", {}, "1002"},
                        {"goes on with nothing", Client::kMore, "{}", {}, "1002"},
                        {"a long ping", Client::kPing, std::string(126, 'x'), {}, "1002"},
                        {"a ping in fragments", Client::kPing, "x", {.last = false}, "1002"},
                        {"no UTF-8", Client::kText, "\xff\xfe", {}, "1007"}};
  for (const Case& one : cases) {
    const auto client = begun();
    client->send(one.opcode, one.payload, one.form);
    EXPECT_EQ(client->end(), one.end) << one.what;
    client->tcp().shut_down();
    EXPECT_TRUE(agent_->wait_until_gone()) << one.what;
  }
  wait_for_streams("0");
}

TEST_F(WebSockets, AClientThatGoesIsForgotten) {
  start();
  auto client = begun();
  client.reset();
  EXPECT_TRUE(agent_->wait_until_gone());
  client = begun();
  client->send(Client::kClose, "\x03\xe8");
  EXPECT_EQ(client->end(), "1000");
  client->tcp().shut_down();
  EXPECT_TRUE(agent_->wait_until_gone());
  wait_for_streams("0");
}

TEST_F(WebSockets, AClientIsPingedAndOneThatIsSilentIsCut) {
  api::ServerOptions options;
  options.web_socket.ping = milliseconds(50);
  options.web_socket.silence = milliseconds(500);
  start(options);
  const auto client = begun();
  for (int i = 0; i < 15; ++i) {  // longer than the silence
    const auto ping = client->frame();
    ASSERT_TRUE(ping);
    EXPECT_EQ(ping->opcode, Client::kPing);
    client->send(Client::kPong, ping->payload);
  }
  while (client->frame()) {}  // no answer any more
  EXPECT_TRUE(client->tcp().closed());
  EXPECT_TRUE(agent_->wait_until_gone());
}

// 64 MiB are said to a client that reads nothing: neither is it all taken from the agent, nor is it kept.
TEST_F(WebSockets, AClientThatNeverReadsIsGivenUp) {
  api::ServerOptions options;
  options.web_socket.stall = milliseconds(300);
  options.web_socket.linger = milliseconds(200);
  options.web_socket.silence = milliseconds(100);  // which is not what ends it
  start(options);
  const auto client = begun();
  std::string bytes;
  for (int i = 0; i < 1024; ++i) append_answer(bytes, inside::Out{std::string(inside::kFrameMax, 'a')});
  const std::size_t said = bytes.size();
  agent_->say_bytes(std::move(bytes));
  EXPECT_TRUE(agent_->wait_until_gone());
  EXPECT_GT(agent_->untaken(), said / 2);
  wait_for_streams("0");
}

TEST_F(WebSockets, AShellsClientThatNeverReadsIsKept) {
  api::ServerOptions options;
  options.web_socket.stall = milliseconds(50);
  options.web_socket.linger = milliseconds(50);
  options.web_socket.ping = milliseconds(50);
  options.web_socket.silence = milliseconds(1000);
  start(options);
  const auto client = begun("shell", "{}");
  std::string bytes;
  for (int i = 0; i < 256; ++i) append_answer(bytes, inside::Out{std::string(inside::kFrameMax, 'a')});
  append_answer(bytes, inside::Lost{7});
  agent_->say_bytes(std::move(bytes));
  std::this_thread::sleep_for(milliseconds(1500));  // nothing is to happen in it
  std::size_t read = 0;
  std::string message;
  for (; read < 257 && !message.starts_with("{"); ++read) message = client->message();
  EXPECT_EQ(message, R"({"lost":7})");
  EXPECT_EQ(read, 257u);
}

TEST_F(WebSockets, AStopTellsEveryClient) {
  start();
  const auto first = begun(), second = begun("shell", "{}"), third = connect();
  std::string ends[3];
  std::thread reads([&] {
    ends[0] = first->end();
    first->send(Client::kClose, "\x03\xe9");
    ends[1] = second->end();
    ends[2] = third->end();
  });
  server_->stop();
  reads.join();
  for (const std::string& end : ends) EXPECT_EQ(end, "stopping 1001");
}

TEST_F(WebSockets, AKeyIsNotAskedAgainForABodyThatIsNone) {
  start();
  Client client(server_->port(), request("exec", "Content-Length: 0\r\n"));
  EXPECT_TRUE(client.head().starts_with("HTTP/1.1 101 ")) << client.head();
}

}  // namespace
}  // namespace berth::testing
