// Ways to ports of a kernel through an agent's services: a real helper, what listens in this process, and a
// hostile helper.
#include "agents/services/app_route.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/support/helper_process.h"
#include "tests/support/inside_connection.h"
#include "tests/unit/agent_services/visitor.h"

namespace berth::agents {
namespace {

class AppRig : public ::testing::Test {
 public:
  ~AppRig() override {
    if (client) client->stop();
    if (server) server->stop();
    // The closed connections' last steps.
    io.restart();
    io.poll();
  }

 protected:
  // `doors`: of the attempts 1, 2, ...; behind them all kernels are unknown.
  void serve(std::vector<std::string> doors, AppLimits limits = {}, bool has_networks = true) {
    KernelRoutes routes;
    routes["POST app"] = app_route(
        [doors = std::move(doors)](const KernelKey& key, const DoorFound& done) {
          if (key.attempt > doors.size()) return done(make_error("unknown-kernel", "no such kernel"));
          done(doors[key.attempt - 1]);
        },
        has_networks, limits);
    server = std::make_unique<ServiceServer>(tunnel::agent_signer(), std::move(routes));
    const auto address = server->start("127.0.0.1:0");
    ASSERT_TRUE(address.ok());
    client = std::make_unique<tunnel::Client>(boost::asio::make_strand(io), tunnel::agent_signer(), *address);
  }
  std::unique_ptr<Visitor> visit(const std::string& query, int attempt = 1) {
    return std::make_unique<Visitor>(
        io, *client,
        "/kernels/07070707-0707-0707-0707-070707070707/" + std::to_string(attempt) + "/app?" + query);
  }
  std::unique_ptr<Visitor> visit_port(std::uint16_t port, int attempt = 1) {
    return visit("port=" + std::to_string(port), attempt);
  }
  std::string how(const std::string& query, int attempt = 1) { return visit(query, attempt)->how(); }
  template <class Reached> bool until(Reached reached) { return tunnel::run_until(io, std::move(reached)); }

  tunnel::asio::io_context io;
  std::unique_ptr<ServiceServer> server;
  std::unique_ptr<tunnel::Client> client;
};

// What listens in the kernel, here a thread: each connection is `talk`'s, one after the other.
class Program {
 public:
  explicit Program(std::function<void(const Descriptor&)> talk)
      : thread_([this, talk = std::move(talk)] {
          while (take()) talk(connection_);
        }) {}
  ~Program() {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
      for (const int open : {listener_.socket_itself().get(), connection_.get()}) shutdown(open, SHUT_RDWR);
    }
    thread_.join();
  }
  std::uint16_t port() const { return listener_.port(); }

 private:
  // Closes the one before.
  bool take() {
    {
      const std::lock_guard lock(mutex_);
      connection_ = Descriptor();
    }
    Descriptor next = listener_.take();
    const std::lock_guard lock(mutex_);
    connection_ = std::move(next);
    return connection_ && !stops_;
  }

  inside::Listener listener_;
  std::mutex mutex_;
  bool stops_ = false;     // guarded
  Descriptor connection_;  // guarded; only the thread replaces it
  std::thread thread_;
};

std::string read_all(const Descriptor& from) {
  std::string all;
  char bytes[64 << 10];
  for (ssize_t got = 0; (got = recv(from.get(), bytes, sizeof bytes, 0)) > 0;)
    all.append(bytes, static_cast<std::size_t>(got));
  return all;
}

bool send_all(const Descriptor& to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void echo(const Descriptor& connection) {
  char bytes[64 << 10];
  for (ssize_t got = 0; (got = recv(connection.get(), bytes, sizeof bytes, 0)) > 0;)
    if (!send_all(connection, {bytes, static_cast<std::size_t>(got)})) return;
}

// A mebibyte that repeats itself nowhere.
std::string mebibyte(std::uint64_t number) {
  std::string bytes(1 << 20, '\0');
  std::uint64_t state = number + 1;
  for (char& byte : bytes) {
    state = state * 6'364'136'223'846'793'005u + 1'442'695'040'888'963'407u;
    byte = static_cast<char>(state >> 56);
  }
  return bytes;
}

class AppService : public AppRig {
 public:
  AppService() { serve({helper.door}); }

 protected:
  inside::HelperProcess helper;
};

TEST_F(AppService, BytesGoBothWaysAndEitherWayEndsByItself) {
  const Program program([](const Descriptor& connection) {
    send_all(connection, "hello\n");
    const std::string asked = read_all(connection);  // to the asker's end
    send_all(connection, "you said " + asked);
  });
  const auto visitor = visit_port(program.port());
  ASSERT_TRUE(visitor->await_out("hello\n")) << visitor->how();
  visitor->say("grüße\0 and more").finish();
  EXPECT_EQ(visitor->how(), "ended");
  EXPECT_EQ(visitor->out, "hello\nyou said grüße\0 and more");
  EXPECT_TRUE(until([&] { return server->counts().streams == 0; }));
}

TEST_F(AppService, AnAppThatHasSaidAllHearsOn) {
  std::promise<std::string> heard;
  const Program program([&](const Descriptor& connection) {
    send_all(connection, "all");
    shutdown(connection.get(), SHUT_WR);
    heard.set_value(read_all(connection));
  });
  const auto visitor = visit_port(program.port());
  EXPECT_EQ(visitor->how(), "ended");
  EXPECT_EQ(visitor->out, "all");
  visitor->say("much more").finish();
  auto future = heard.get_future();
  EXPECT_TRUE(until([&] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }));
  EXPECT_EQ(future.get(), "much more");
  EXPECT_TRUE(until([&] { return server->counts().streams == 0; }));
}

TEST_F(AppService, AnAppIsReachedByItsName) {
  const std::string name = "service-" + std::to_string(getpid());
  inside::Talk talk(helper.door, inside::app(name, inside::echo_app()));
  ASSERT_TRUE(
      talk.await([&] { return !talk.apps.empty() && talk.apps.back().state == inside::AppState::kReady; }));
  const auto visitor = visit("app=" + name);
  visitor->say("line\n");
  EXPECT_TRUE(visitor->await_out(" line\n")) << visitor->how();
  EXPECT_TRUE(visitor->headers.empty());
  unlink(inside::app_socket(name).c_str());
}

TEST_F(AppService, TheTokenOfAnAppComesInAHeaderOfTheAnswer) {
  const std::string name = "token-" + std::to_string(getpid());
  inside::Request app =
      inside::app(name, inside::echo_app("import os\nprint(os.environ['T'], flush=True)\n"));
  app.token_variable = "T";
  inside::Talk talk(helper.door, app);
  ASSERT_TRUE(
      talk.await([&] { return !talk.apps.empty() && talk.apps.back().state == inside::AppState::kReady; }));
  ASSERT_TRUE(talk.await_out("listens\n"));
  const auto visitor = visit("app=" + name);
  ASSERT_TRUE(visitor->await_open()) << visitor->how();
  EXPECT_EQ(visitor->headers, (tunnel::Headers{{kAppTokenHeader, talk.out.substr(0, inside::kTokenSize)}}));
  unlink(inside::app_socket(name).c_str());
}

TEST_F(AppService, SixtyFourMebibytesComeAndGoUnchanged) {
  const Program program(echo);
  const auto visitor = visit_port(program.port());
  visitor->keeps = false;
  Hash said;
  for (std::uint64_t i = 0; i < 64; ++i) {
    const std::string bytes = mebibyte(i);
    said.add(bytes);
    visitor->say(bytes);
    ASSERT_TRUE(until([&] { return visitor->unsaid() < (1 << 20) || visitor->over; }));
  }
  visitor->finish();
  EXPECT_EQ(visitor->how(), "ended");
  EXPECT_EQ(visitor->came.bytes(), 64u << 20);
  EXPECT_EQ(visitor->came, said);
}

TEST_F(AppService, AnAskerThatDoesNotReadStopsItsAppAloneAndLosesNothing) {
  constexpr std::size_t kAll = 32u << 20;
  std::atomic<std::size_t> sent{0};
  const Program program([&](const Descriptor& connection) {
    const std::string bytes(64 << 10, 'x');
    while (sent < kAll && send_all(connection, bytes)) sent += bytes.size();
  });
  const auto deaf = visit_port(program.port());
  deaf->reads = deaf->keeps = false;
  ASSERT_TRUE(deaf->await_open());
  const Program other(echo);
  const auto visitor = visit_port(other.port());
  visitor->say("meanwhile");
  EXPECT_TRUE(visitor->await_out("meanwhile"));
  EXPECT_LE(server->counts().buffered, 2 * tunnel::kBufferedBytesMax);
  EXPECT_LT(sent, kAll) << "but for what the sockets hold, it waits";
  deaf->read_on();
  EXPECT_EQ(deaf->how(), "ended");
  EXPECT_EQ(deaf->came.bytes(), kAll);
}

TEST_F(AppService, AnAppThatDoesNotReadStopsItsAskerAlone) {
  std::promise<void> may_read;
  const auto reads = may_read.get_future().share();
  std::atomic<std::size_t> heard{0};
  const Program program([&, reads](const Descriptor& connection) {
    reads.wait();
    heard = read_all(connection).size();
  });
  constexpr std::size_t kAll = 32u << 20;
  const auto stuck = visit_port(program.port());
  ASSERT_TRUE(stuck->await_open());
  stuck->say(std::string(kAll, 'x')).finish();
  const Program other(echo);
  const auto visitor = visit_port(other.port());
  visitor->say("meanwhile");
  EXPECT_TRUE(visitor->await_out("meanwhile"));
  EXPECT_GT(stuck->unsaid(), 0u);
  EXPECT_LE(server->counts().buffered, 2 * tunnel::kBufferedBytesMax);
  may_read.set_value();
  EXPECT_EQ(stuck->how(), "ended");
  EXPECT_TRUE(until([&] { return heard == kAll; }));
}

TEST_F(AppService, FiveHundredConnectionsAreOpenAtOnce) {
  inside::Listener listener;
  std::vector<std::unique_ptr<Visitor>> visitors;
  std::vector<Descriptor> taken;
  for (int i = 0; i < 500; ++i) visitors.push_back(visit_port(listener.port()));
  for (const auto& visitor : visitors) ASSERT_TRUE(visitor->await_open()) << visitor->how();
  for (int i = 0; i < 500; ++i) {
    taken.push_back(listener.take());
    ASSERT_TRUE(send_all(taken.back(), "number " + std::to_string(i) + "\n"));
  }
  for (const auto& visitor : visitors) ASSERT_TRUE(visitor->await_out("\n"));
  EXPECT_EQ(server->counts().streams, 500u);
  EXPECT_EQ(server->counts().connections, 1u);
  taken.clear();
  for (const auto& visitor : visitors) EXPECT_EQ(visitor->how(), "ended");
  visitors.clear();
  EXPECT_TRUE(until([&] { return server->counts().streams == 0; }));
}

TEST_F(AppService, AnAppThatIsCutEndsTheStream) {
  const Program program([](const Descriptor& connection) {
    char byte = 0;
    recv(connection.get(), &byte, 1, 0);
    const linger cut{1, 0};
    setsockopt(connection.get(), SOL_SOCKET, SO_LINGER, &cut, sizeof cut);
  });
  const auto visitor = visit_port(program.port());
  visitor->say("xyz");
  EXPECT_EQ(visitor->how(), "stream-reset");
}

TEST_F(AppService, AnAskerThatGoesClosesTheConnection) {
  std::promise<std::string> heard;
  const Program program([&](const Descriptor& connection) { heard.set_value(read_all(connection)); });
  {
    const auto visitor = visit_port(program.port());
    ASSERT_TRUE(visitor->await_open());
  }
  auto future = heard.get_future();
  EXPECT_TRUE(until([&] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }));
}

TEST_F(AppService, TheServersStopClosesAllConnections) {
  std::promise<std::string> heard;
  const Program program([&](const Descriptor& connection) { heard.set_value(read_all(connection)); });
  const auto visitor = visit_port(program.port());
  ASSERT_TRUE(visitor->await_open());
  server->stop();
  EXPECT_EQ(heard.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST_F(AppService, WhereNobodyListensTheCodeSaysSo) {
  std::uint16_t port = 0;
  {
    const inside::Listener listener;
    port = listener.port();
  }
  EXPECT_EQ(how("port=" + std::to_string(port)), "409 port-not-open");
  EXPECT_EQ(how("app=nothing"), "404 no-such-app");
  EXPECT_EQ(how("port=8888", 2), "404 unknown-kernel");
  helper.end();
  EXPECT_EQ(how("port=8888"), "409 kernel-not-open");
}

TEST_F(AppService, WhatIsNoPlaceIsRefused) {
  for (const char* query : {"port=0", "port=65536", "port=-1", "port=x", "port=", "port=80x", "port=+80"})
    EXPECT_EQ(how(query), "400 port-refused") << query;
  for (const char* query : {"app=", "app=a/b", "app=%2e%2e"}) EXPECT_EQ(how(query), "400 name-wrong");
  for (const char* query : {"", "x=y", "port=80&app=a"}) EXPECT_EQ(how(query), "400 bad-request") << query;
}

class AppServiceWithLimits : public AppRig {
 protected:
  inside::HelperProcess helper;
};

TEST_F(AppServiceWithLimits, AKernelWithoutANetworkOfItsOwnHasNoPorts) {
  serve({helper.door}, {}, false);
  const inside::Listener of_host;
  EXPECT_EQ(how("port=" + std::to_string(of_host.port())), "409 not-for-this-backend");
  EXPECT_EQ(how("app=a"), "409 not-for-this-backend");
}

TEST_F(AppServiceWithLimits, AConnectionOnWhichNothingGoesIsCut) {
  serve({helper.door}, {.idle_max = kSecond});
  const Program program(echo);
  const auto visitor = visit_port(program.port());
  ASSERT_TRUE(visitor->await_open());
  const auto from = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::steady_clock::now() - from; };
  for (int i = 0; passed() < std::chrono::seconds(2) && !visitor->over; ++i) {
    visitor->say("x");
    ASSERT_TRUE(visitor->await([&] { return visitor->out.size() > static_cast<std::size_t>(i); }));
  }
  EXPECT_FALSE(visitor->over) << "something goes";
  EXPECT_EQ(visitor->how(), "stream-reset");
  EXPECT_GE(passed(), std::chrono::milliseconds(2900));
}

TEST_F(AppServiceWithLimits, OnlySoManyConnectionsAreOpenAtOnce) {
  serve({helper.door}, {.open_max = 2});
  const inside::Listener listener;
  auto one = visit_port(listener.port());
  const auto two = visit_port(listener.port());
  ASSERT_TRUE(one->await_open() && two->await_open());
  EXPECT_EQ(visit_port(listener.port())->how(), "503 agent-busy");
  one.reset();
  ASSERT_TRUE(until([&] { return server->counts().streams == 1; }));
  EXPECT_TRUE(visit_port(listener.port())->await_open());
}

class AppServiceOfALiar : public AppRig {
 public:
  AppServiceOfALiar() { serve({door, helper.door}, {.connect_max = 500 * kMillisecond}); }

 protected:
  // Takes who knocks, and passes this descriptor out.
  void pass(int descriptor) const {
    const Descriptor stream(accept4(liar.get(), nullptr, nullptr, SOCK_CLOEXEC));
    char asked[4096];  // who answers and closes before all is asked is one that has ended
    EXPECT_GT(recv(stream.get(), asked, sizeof asked, 0), 0);
    std::string bytes;
    append_frame(bytes, inside::FrameType::kBegun, encode(inside::Begun{}));
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    iovec from{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &from;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    EXPECT_EQ(sendmsg(stream.get(), &message, 0), static_cast<ssize_t>(bytes.size()));
  }
  bool knocked() const {
    pollfd ready{liar.get(), POLLIN, 0};
    return poll(&ready, 1, 0) == 1;
  }

  TempFolder folder;
  const std::string door = folder.path + "/door";
  Descriptor liar = shim::make_door(door);
  inside::HelperProcess helper;
  inside::Listener listener;
};

TEST_F(AppServiceOfALiar, WhatIsNoConnectionIsRefused) {
  fcntl(liar.get(), F_SETFL, O_NONBLOCK);
  const auto visitor = visit_port(listener.port());
  ASSERT_TRUE(until([&] { return knocked(); }));
  pass(listener.socket_itself().get());
  EXPECT_EQ(visitor->how(), "502 helper-garbled");
}

TEST_F(AppServiceOfALiar, AHelperThatNeverAnswersIsGivenUp) {
  EXPECT_EQ(visit_port(listener.port())->how(), "504 helper-silent");
}

TEST_F(AppServiceOfALiar, AConnectionThatTheKernelMadeBlockingBlocksNobody) {
  const Program other(echo);
  auto good = inside::connection(helper.door, inside::connect_to(listener.port()));
  ASSERT_TRUE(good.ok());
  fcntl(good->get(), F_SETFL, 0);
  const Descriptor far = listener.take();
  const auto visitor = visit_port(listener.port());
  ASSERT_TRUE(until([&] { return knocked(); }));
  pass(good->get());
  ASSERT_TRUE(visitor->await_open()) << visitor->how();
  visitor->say(std::string(16u << 20, 'x'));  // which nobody takes
  const auto meanwhile = visit_port(other.port(), 2);
  meanwhile->say("meanwhile");
  EXPECT_TRUE(meanwhile->await_out("meanwhile")) << meanwhile->how();
}

}  // namespace
}  // namespace berth::agents
