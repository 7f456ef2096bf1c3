// An agent's log service and the API server's client of it, over a real socket.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <atomic>
#include <future>
#include <thread>

#include "agents/services/log_route.h"
#include "controller/api/http/agent_client.h"
#include "events/base/system_clock.h"
#include "events/schema/v1/service.pb.h"
#include "tests/support/record_codes.h"

namespace berth::agents {
namespace {

class LogService : public ::testing::Test {
 public:
  LogService() {
    cluster.bytes.fill(0xC1);
    server = std::make_unique<ServiceServer>(signer("a1"), routes());
    const auto started = server->start("127.0.0.1:0");
    EXPECT_TRUE(started.ok());
    query.agent = "a1";
    query.address = *started;
    query.kernel.bytes.fill(7);
    query.attempt = 1;
    query.limit = 1 << 20;
  }
  ~LogService() override {
    tunnels.stop();
    if (server) server->stop();
    held.clear();
  }

 protected:
  KernelRoutes routes() {
    KernelRoutes routes;
    routes["GET log"] =
        log_route([this](const KernelKey& key, std::int64_t offset, std::size_t max, LogRead done) {
          if (hold)
            held.push_back(std::move(done));
          else
            done(read(key, offset, max));
        });
    return routes;
  }
  Signer signer(const std::string& agent) const {
    return {cluster, "agent:" + agent, 1, derive_key("secret", "agent:" + agent, 1)};
  }
  Result<LogPage> read(const KernelKey& key, std::int64_t offset, std::size_t max) const {
    if (key.attempt != 1 || key.kernel.bytes[0] != 7) return make_error("unknown-kernel", "no such kernel");
    const std::size_t from =
        offset < 0 ? text.size() - static_cast<std::size_t>(-offset) : static_cast<std::size_t>(offset);
    const std::string bytes = text.substr(from, max);
    return LogPage{bytes, from + bytes.size(), from + bytes.size() == text.size()};
  }
  using Page = Result<controller::AgentLogPage>;
  Page fetch(const Signer& as, Duration patience = 5 * kSecond) {
    controller::AgentClient client(tunnels, {patience, 8});
    return ask(client, query, as).get();
  }
  static std::future<Page> ask(controller::AgentClient& client, const controller::AgentLogQuery& query,
                               const Signer& as) {
    auto promise = std::make_shared<std::promise<Page>>();
    client.fetch_log(query, as, [promise](Page page) { promise->set_value(std::move(page)); });
    return promise->get_future();
  }

  // How many the server has refused, once it has counted so many: who is refused hears of it before that.
  std::uint64_t refused(std::uint64_t awaited) const {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (server->counts().refused < awaited && std::chrono::steady_clock::now() < limit)
      std::this_thread::yield();
    return server->counts().refused;
  }

  Uuid cluster;
  SystemClock clock;
  std::string text = "hello from the kernel\n";
  bool hold = false;
  std::unique_ptr<ServiceServer> server;
  std::vector<LogRead> held;  // answers that are not given yet
  controller::AgentTunnels tunnels;
  controller::AgentLogQuery query;
};

TEST_F(LogService, GivesAPageAndWhereToGoOn) {
  query.limit = 5;
  const auto page = fetch(signer("a1"));
  ASSERT_TRUE(page.ok()) << to_string(page.error());
  EXPECT_EQ(page->bytes, "hello");
  EXPECT_EQ(page->offset, 0u);
  EXPECT_EQ(page->next, 5u);
  EXPECT_FALSE(page->end);
}

TEST_F(LogService, CountsFromTheEndForNegativeOffsets) {
  query.offset = -7;
  const auto page = fetch(signer("a1"));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->bytes, "kernel\n");
  EXPECT_TRUE(page->end);
}

TEST_F(LogService, ServesAWholeMebibyte) {
  text.assign(2 << 20, 'x');
  const auto page = fetch(signer("a1"));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->bytes.size(), 1u << 20);
}

TEST_F(LogService, SaysThatAKernelIsUnknown) {
  query.attempt = 2;
  const auto page = fetch(signer("a1"));
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().code, "unknown-kernel");
}

TEST_F(LogService, AnswersNobodyWithoutTheAgentsOwnKey) {
  EXPECT_FALSE(fetch(signer("a2")).ok());
  const Signer thief(cluster, "agent:a1", 1, std::string(32, 'x'));
  EXPECT_FALSE(fetch(thief).ok());
  EXPECT_EQ(refused(2), 2u);
}

TEST_F(LogService, AllQuestionsShareOneConnection) {
  controller::AgentClient client(tunnels);
  std::vector<std::future<Page>> pages;
  for (int i = 0; i < 8; ++i) pages.push_back(ask(client, query, signer("a1")));
  for (auto& page : pages) EXPECT_TRUE(page.get().ok());
  EXPECT_EQ(server->counts().connections, 1u);
}

TEST_F(LogService, AnAgentThatStopsTellsItsAskers) {
  hold = true;
  controller::AgentClient client(tunnels, {kHour, 8});
  auto page = ask(client, query, signer("a1"));
  while (server->counts().streams == 0) std::this_thread::yield();
  server->stop();
  const auto told = page.get();
  ASSERT_FALSE(told.ok());
  EXPECT_EQ(told.error().code, "agent-unreachable");
}

TEST_F(LogService, AnAgentThatMovedIsReachedAtItsNewAddressByAConnectionOfItsOwn) {
  ASSERT_TRUE(fetch(signer("a1")).ok());
  ServiceServer moved(signer("a1"), routes());
  query.address = *moved.start("127.0.0.1:0");
  ASSERT_TRUE(fetch(signer("a1")).ok());
  EXPECT_EQ(moved.counts().connections, 1u);
  while (server->counts().connections > 0) std::this_thread::yield();
}

TEST_F(LogService, AnAgentThatWasEnrolledAnewIsAskedByItsNewKeyAlone) {
  const Signer renewed(cluster, "agent:a1", 2, derive_key("secret", "agent:a1", 2));
  ASSERT_TRUE(fetch(signer("a1")).ok());
  EXPECT_EQ(fetch(renewed).error().code, "agent-unreachable") << "the agent runs with its old key";
  while (server->counts().connections > 0) std::this_thread::yield();
  EXPECT_EQ(refused(1), 1u);
}

TEST_F(LogService, OnceTheTunnelsStopNobodyIsAnswered) {
  hold = true;
  controller::AgentClient client(tunnels, {kHour, 8});
  std::atomic<int> answers{0};
  const auto count = [&answers](const Page&) { ++answers; };
  client.fetch_log(query, signer("a1"), count);
  while (server->counts().streams == 0) std::this_thread::yield();
  tunnels.stop();
  client.fetch_log(query, signer("a1"), count);
  tunnels.stop();
  server->stop();
  held.clear();
  EXPECT_EQ(answers, 0);
}

// What an agent answers to a question that API servers of this version do not ask.
class ServiceQuestion : public LogService {
 protected:
  std::pair<int, std::string> ask(const std::string& method, const std::string& path) {
    std::promise<std::pair<int, std::string>> told;
    int status = 0;
    std::string body;
    std::shared_ptr<tunnel::Stream> stream;
    std::function<void()> read = [&] {
      stream->read([&](const Result<std::string>& bytes) {
        if (!bytes || bytes->empty()) return told.set_value({status, body});
        body += *bytes;
        read();
      });
    };
    std::promise<void> opened;
    stream = tunnels.open(signer("a1"), query.address, {method, path, {}},
                          [&, is_open = opened.get_future().share()](const Result<tunnel::Answer>& answer) {
                            is_open.wait();
                            status = answer ? answer->status : 0;
                            read();
                          });
    stream->finish();
    opened.set_value();
    auto result = told.get_future().get();
    stream = nullptr;
    v1::ServiceError error;
    return {result.first, error.ParseFromString(result.second) ? word_of(error.code()) : ""};
  }
};

TEST_F(ServiceQuestion, WhatIsNotServedIsNamed) {
  const std::string kernel = "/kernels/" + to_string(query.kernel) + "/1";
  for (const std::string& path :
       {std::string("/"), kernel, kernel + "/", kernel + "/exec", kernel + "/log/more",
        std::string("/kernels/x/1/log"), "/kernels/" + to_string(query.kernel) + "/-1/log"})
    EXPECT_EQ(ask("GET", path), std::pair(404, std::string("unknown-service"))) << path;
  EXPECT_EQ(ask("POST", kernel + "/log"), std::pair(404, std::string("unknown-service")));
}

TEST_F(ServiceQuestion, OptionsThatAreNoNumbersAreRefused) {
  const std::string log = "/kernels/" + to_string(query.kernel) + "/1/log";
  for (const char* options :
       {"?offset=x", "?offset=", "?limit=-1", "?offset=99999999999999999999", "?limit=1k"})
    EXPECT_EQ(ask("GET", log + options), std::pair(400, std::string("bad-request"))) << options;
  EXPECT_EQ(ask("GET", log).first, 200);
  EXPECT_EQ(ask("GET", log + "?&&x&offset=1").first, 200);
}

TEST_F(LogService, AnAgentThatIsGoneIsUnreachable) {
  server->stop();
  server.reset();
  const auto page = fetch(signer("a1"));
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().code, "agent-unreachable");
}

// As a process that was stopped: the kernel takes connections for it, and nobody answers.
class SilentAgent {
 public:
  SilentAgent() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(fd_, 64), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~SilentAgent() { ::close(fd_); }
  SilentAgent(const SilentAgent&) = delete;
  SilentAgent& operator=(const SilentAgent&) = delete;
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  int fd_;
  std::uint16_t port_ = 0;
};

TEST_F(LogService, AnAgentThatDoesNotAnswerIsNamedAtTheDeadline) {
  const SilentAgent silent;
  query.address = silent.address();
  const Timestamp from = clock.now().boottime;
  const auto page = fetch(signer("a1"), 200 * kMillisecond);
  const Duration took = clock.now().boottime - from;
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().code, "agent-timeout");
  EXPECT_NE(page.error().message.find("agent a1 at 127.0.0.1:"), std::string::npos) << page.error().message;
  EXPECT_GE(took, 200 * kMillisecond);
  EXPECT_LT(took, 5 * kSecond);
}

TEST_F(LogService, AnAgentThatDoesNotAnswerDelaysNoOther) {
  const SilentAgent silent;
  controller::AgentLogQuery to_silent = query;
  to_silent.agent = "a2";
  to_silent.address = silent.address();
  controller::AgentClient client(tunnels, {kHour, 3});
  std::vector<std::future<Page>> waiting;
  for (int i = 0; i < 3; ++i) waiting.push_back(ask(client, to_silent, signer("a2")));
  const auto one_more = ask(client, to_silent, signer("a2")).get();
  ASSERT_FALSE(one_more.ok());
  EXPECT_EQ(one_more.error().code, "agent-busy");
  EXPECT_TRUE(ask(client, query, signer("a1")).get().ok());
  for (const auto& one : waiting)
    EXPECT_EQ(one.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
}

TEST_F(LogService, AnAgentsPlaceIsFreeAgainAfterAnAnswer) {
  controller::AgentClient client(tunnels, {10 * kSecond, 1});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ask(client, query, signer("a1")).get().ok());
}

TEST_F(LogService, AnAddressThatIsNoneIsUnreachable) {
  for (const char* address :
       {"", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", "a-host:7411", "[::1:7411"}) {
    query.address = address;
    const auto page = fetch(signer("a1"), kSecond);
    ASSERT_FALSE(page.ok()) << address;
    EXPECT_EQ(page.error().code, "agent-unreachable") << address;
  }
}

TEST_F(LogService, APortInUseIsNamed) {
  ServiceServer second(signer("a1"), routes());
  const auto started = second.start(query.address);
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, "port-in-use");
}

}  // namespace
}  // namespace berth::agents
