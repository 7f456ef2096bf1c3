// The way out of a kernel: a real helper as a plain process, the agent's server, and hosts that are sockets
// of this test. The lookup of names is a fake: it leads names where the test says.
#include "agents/egress/egress_server.h"

#include <fcntl.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "tests/support/helper_process.h"
#include "tests/support/inside_connection.h"

namespace berth::agents {
namespace {

using inside::Listener;

Descriptor connect_to_port(std::uint16_t port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Descriptor stream(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const bool made = connect(stream.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  return made ? std::move(stream) : Descriptor();
}

// One that the machine gives to nobody who asks for any port: between looking and listening, a test beside
// this one could get such a port.
std::uint16_t quiet_port() {
  for (std::uint32_t i = 0;; ++i) {
    const auto port = static_cast<std::uint16_t>(10'000 + (getpid() * 37u + i) % 20'000);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const Descriptor stream(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;  // connections of the test before take no port
    setsockopt(stream.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(stream.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) == 0) return port;
  }
}

bool say(const Descriptor& to, std::string_view text) {
  return send(to.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

// All that comes until its end, or until it has this many bytes; at most 20 s of silence.
std::string all_of(const Descriptor& from, std::size_t most = SIZE_MAX) {
  std::string text;
  char bytes[64 << 10];
  while (text.size() < most) {
    pollfd ready{from.get(), POLLIN, 0};
    if (poll(&ready, 1, 20'000) != 1) return text + "<silent>";
    const ssize_t got = recv(from.get(), bytes, std::min(sizeof bytes, most - text.size()), 0);
    if (got <= 0) return text;
    text.append(bytes, static_cast<std::size_t>(got));
  }
  return text;
}

std::string connect_request(const std::string& target) {
  return "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n";
}

class EgressOfAgent : public ::testing::Test {
 protected:
  void SetUp() override { start({}); }
  // Once nobody listens for the agent before, whose channel the helper may not have seen end yet.
  void start(EgressLimits limits) {
    if (server_) server_->stop();
    ASSERT_TRUE(await([this] { return !connect_to_port(port_); }));
    server_ = std::make_unique<EgressServer>(
        limits,
        [this](const std::string& host, LookedUp done) {
          const std::lock_guard lock(mutex_);
          ++lookups_;
          const auto found = names_.find(host);
          if (found == names_.end()) return done(make_error("name-unknown", host));
          if (found->second.empty()) {
            unanswered_.push_back(std::move(done));
            return;
          }
          Addresses addresses;
          for (const auto& text : found->second) addresses.push_back(boost::asio::ip::make_address(text));
          done(addresses);
        },
        [this](const boost::asio::ip::address& address, bool private_too) {
          return (leads_here_ && address.is_loopback()) || may_dial(address, private_too);
        },
        [this](const std::string& line) {
          const std::lock_guard lock(mutex_);
          warnings_.push_back(line);
        });
    server_->allow(allowed());  // before the way is open: what comes with others is judged with them
    server_->open(key_, helper_.door, port_);
    ASSERT_TRUE(await([this] { return static_cast<bool>(connect_to_port(port_)); }));
    ASSERT_TRUE(await([this] { return server_->counts().open == 0; }));
  }
  virtual AllowList allowed() const {
    AllowList list;
    for (const char* name : {"index.test:443", "index.test:80", "mirror.test:443", "slow.test:443"})
      EXPECT_TRUE(list.add_by_hand(name).ok());
    for (const char* name : {"learnt.test", "localhost", "many.test", "unknown.test"})
      EXPECT_TRUE(list.add(name, 443));
    return list;
  }
  template <class Done> static bool await(Done done) {
    for (int i = 0; i < 10'000; ++i) {
      if (done()) return true;
      usleep(2000);
    }
    return false;
  }
  void name(const std::string& host, std::vector<std::string> addresses) {
    const std::lock_guard lock(mutex_);
    names_[host] = std::move(addresses);
  }
  // What the proxy says to a program that asks so, until it closes.
  std::string answer(const std::string& request) const {
    const Descriptor program = connect_to_port(port_);
    EXPECT_TRUE(say(program, request));
    return all_of(program);
  }
  std::string status(const std::string& request) const { return answer(request).substr(0, 12); }

  inside::HelperProcess helper_;
  const std::uint16_t port_ = quiet_port();
  const KernelKey key_{KernelId(Uuid::parse("00000000-0000-4000-8000-000000000001").value()), 1};
  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> names_;
  std::vector<LookedUp> unanswered_;
  int lookups_ = 0;
  bool leads_here_ = false;  // this test's sockets may be dialled
  std::vector<std::string> warnings_;
  std::unique_ptr<EgressServer> server_;
};

TEST_F(EgressOfAgent, WhatIsNotOnTheListIsRefusedBeforeItsNameIsLookedUp) {
  for (const char* target :
       {"evil.test:443", "index.test:22", "learnt.test:80", "127.0.0.1:443", "169.254.169.254:80",
        "localhost:22", "2130706433:443", "0x7f.1:443", "127.1:443"})
    EXPECT_TRUE(
        answer(connect_request(target))
            .starts_with("HTTP/1.1 403 berth: " + std::string(target) + " is none of the package registries"))
        << target;
  EXPECT_EQ(lookups_, 0);
  EXPECT_EQ(server_->counts().refused, 9u);
}

TEST_F(EgressOfAgent, ANameThatLeadsBackToTheMachineOrItsNetworkIsRefused) {
  const std::vector<std::string> bad[] = {{"127.0.0.1"},       {"::1"},      {"::ffff:127.0.0.1"},
                                          {"169.254.169.254"}, {"10.0.0.1"}, {"fd00::1"},
                                          {"100.64.0.1"},      {"0.0.0.0"},  {"::ffff:10.1.2.3"},
                                          {"224.0.0.1"},       {"fe80::1"},  {"127.0.0.1", "10.0.0.1"}};
  for (const auto& addresses : bad) {
    name("learnt.test", addresses);
    EXPECT_TRUE(
        answer(connect_request("learnt.test:443"))
            .starts_with("HTTP/1.1 403 berth: learnt.test leads to an address of the agent's own network"))
        << addresses[0];
  }
  // Named by hand: a private address may be dialled, never one of the machine itself.
  name("mirror.test", {"127.0.0.1"});
  EXPECT_EQ(status(connect_request("mirror.test:443")), "HTTP/1.1 403");
}

TEST_F(EgressOfAgent, NamesThatAreUnknownAndHostsThatDoNotAnswerAreSaid) {
  EXPECT_EQ(status(connect_request("unknown.test:443")), "HTTP/1.1 502");
  EXPECT_EQ(server_->counts().failed, 1u);
}

TEST_F(EgressOfAgent, ANameThatIsLookedUpTooLongIsGivenUp) {
  start({.lookup_max = 50 * kMillisecond});
  name("slow.test", {});
  EXPECT_EQ(status(connect_request("slow.test:443")), "HTTP/1.1 504");
  const std::lock_guard lock(mutex_);
  unanswered_.back()(Addresses{boost::asio::ip::make_address("1.1.1.1")});  // nobody waits any more
}

TEST_F(EgressOfAgent, OnlyARequestOfTheProxysIsTaken) {
  EXPECT_EQ(status("POST http://index.test/ HTTP/1.1\r\n\r\n"), "HTTP/1.1 405");
  EXPECT_EQ(status("\x16\x03\x01garbage"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 400");
}

TEST_F(EgressOfAgent, AMebibyteOfHeadIsRefusedAndNotKept) {
  const Descriptor program = connect_to_port(port_);
  std::thread sender([&] {
    const std::string piece(64 << 10, 'a');
    say(program, "CONNECT index.test:443 HTTP/1.1\r\nA: ");
    for (int i = 0; i < 16; ++i)
      if (!say(program, piece)) break;
  });
  EXPECT_EQ(all_of(program).substr(0, 12), "HTTP/1.1 431");
  sender.join();
}

TEST_F(EgressOfAgent, AProgramThatSaysNothingIsGivenUp) {
  start({.head_max = 50 * kMillisecond});
  const Descriptor program = connect_to_port(port_);
  EXPECT_TRUE(say(program, "CONNECT index"));
  EXPECT_EQ(all_of(program).substr(0, 12), "HTTP/1.1 408");
}

TEST_F(EgressOfAgent, OfAThousandConnections64AreHeldAndOthersAreToldSo) {
  std::vector<Descriptor> programs;
  for (int i = 0; i < 64; ++i) programs.push_back(connect_to_port(port_));
  ASSERT_TRUE(await([this] { return server_->counts().open == 64; }));
  for (int i = 0; i < 1000; ++i) {
    const Descriptor more = connect_to_port(port_);
    ASSERT_EQ(all_of(more).substr(0, 12), "HTTP/1.1 503") << i;
  }
  EXPECT_EQ(server_->counts().open, 64u);
  programs.clear();
  EXPECT_TRUE(await([this] { return server_->counts().open == 0; }));
  EXPECT_EQ(status(connect_request("evil.test:443")), "HTTP/1.1 403");
}

TEST_F(EgressOfAgent, AKernelsConnectionsEndWithIt) {
  const Descriptor program = connect_to_port(port_);
  ASSERT_TRUE(await([this] { return server_->counts().open == 1; }));
  server_->close(key_);
  EXPECT_EQ(all_of(program), "");
  EXPECT_TRUE(await([this] { return !connect_to_port(port_); })) << "nobody listens in there any more";
}

TEST_F(EgressOfAgent, AnotherAgentOpensTheWayAgain) {
  start({});
  EXPECT_EQ(status(connect_request("evil.test:443")), "HTTP/1.1 403");
}

class EgressToHost : public EgressOfAgent {
 protected:
  void SetUp() override {
    leads_here_ = true;
    EgressOfAgent::SetUp();
    name("index.test", {"127.0.0.1"});
  }
  AllowList allowed() const override {
    AllowList list;
    EXPECT_TRUE(list.add("index.test", host_.port()));
    return list;
  }
  std::string target() const { return "index.test:" + std::to_string(host_.port()); }
  // A tunnel of which both ends are known.
  std::pair<Descriptor, Descriptor> tunnel() {
    Descriptor program = connect_to_port(port_);
    EXPECT_TRUE(say(program, connect_request(target())));
    const std::string told = all_of(program, kTunnelMade.size());
    EXPECT_EQ(told, kTunnelMade);
    return {std::move(program), told == kTunnelMade ? host_.take() : Descriptor()};
  }

  const Listener host_;
};

TEST_F(EgressToHost, ATunnelPassesBytesBothWaysAndEachWayEndsByItself) {
  const auto [program, host] = tunnel();
  EXPECT_TRUE(say(program, "ask"));
  shutdown(program.get(), SHUT_WR);
  EXPECT_EQ(all_of(host), "ask");
  EXPECT_TRUE(say(host, "answer"));
  shutdown(host.get(), SHUT_WR);
  EXPECT_EQ(all_of(program), "answer");
  EXPECT_TRUE(await([this] { return server_->counts().open == 0; }));
  EXPECT_EQ(server_->counts().bytes_out, 3u);
  EXPECT_EQ(server_->counts().bytes_in, kTunnelMade.size() + 6);
}

TEST_F(EgressToHost, MuchGoesBothWaysAtOnceAndNothingIsLost) {
  const auto [program, host] = tunnel();
  const std::string much(32 << 20, 'x');
  std::string to_host, to_program;
  std::thread says([&] { say(program, much), shutdown(program.get(), SHUT_WR); });
  std::thread answers([&] { say(host, much), shutdown(host.get(), SHUT_WR); });
  std::thread hears([&] { to_host = all_of(host); });
  to_program = all_of(program);
  for (std::thread* thread : {&says, &answers, &hears}) thread->join();
  EXPECT_TRUE(to_host == much && to_program == much);
}

TEST_F(EgressToHost, ASecondRequestInATunnelIsTheHostsAffair) {
  const Descriptor program = connect_to_port(port_);
  EXPECT_TRUE(say(program, connect_request(target()) + connect_request("evil.test:443")));
  const Descriptor host = host_.take();
  EXPECT_EQ(all_of(host, 20), connect_request("evil.test:443").substr(0, 20));
  EXPECT_EQ(all_of(program, kTunnelMade.size()), kTunnelMade);
  EXPECT_EQ(server_->counts().refused, 0u);
}

TEST_F(EgressToHost, AUrlIsFetchedOnceAConnectionAndASecondRequestGoesNowhere) {
  const Descriptor program = connect_to_port(port_);
  EXPECT_TRUE(say(program, "GET http://" + target() + "/a HTTP/1.1\r\nHost: x\r\n\r\nGET http://" + target() +
                               "/b HTTP/1.1\r\n\r\n"));
  const Descriptor host = host_.take();
  const std::string asked = "GET /a HTTP/1.1\r\nHost: " + target() + "\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(all_of(host, asked.size()), asked);
  EXPECT_TRUE(say(host, "HTTP/1.1 200 OK\r\n\r\nbody"));
  shutdown(host.get(), SHUT_WR);
  EXPECT_EQ(all_of(program), "HTTP/1.1 200 OK\r\n\r\nbody");
  EXPECT_EQ(all_of(host), "") << "nothing of the second request";
}

TEST_F(EgressToHost, AProgramThatNeverReadsHoldsLittle) {
  const auto [program, host] = tunnel();
  const int flags = fcntl(host.get(), F_GETFL);
  fcntl(host.get(), F_SETFL, flags | O_NONBLOCK);
  const std::string piece(1 << 20, 'x');
  std::size_t taken = 0;
  for (int quiet = 0; quiet < 100;) {
    const ssize_t sent = send(host.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
    quiet = sent > 0 ? 0 : quiet + 1;
    taken += sent > 0 ? static_cast<std::size_t>(sent) : 0;
    if (sent <= 0) usleep(1000);
  }
  EXPECT_LT(taken, 32u << 20) << "what the machine's sockets hold";
  server_->close(key_);
  EXPECT_TRUE(await([this] { return server_->counts().open == 0; }));
}

TEST_F(EgressToHost, ATunnelInWhichNothingMovesIsEnded) {
  start({.idle_max = 100 * kMillisecond});
  const auto [program, host] = tunnel();
  EXPECT_EQ(all_of(program), "");
  EXPECT_EQ(all_of(host), "");
}

TEST_F(EgressToHost, AddressesAreTriedInTurn) {
  name("index.test", {"10.0.0.1", "127.0.0.2", "127.0.0.1"});  // the second takes no connection
  EXPECT_EQ(tunnel().first.get() >= 0, true);
  name("index.test", {"127.0.0.2"});
  EXPECT_TRUE(
      answer(connect_request(target())).starts_with("HTTP/1.1 502 berth: index.test does not answer"));
}

}  // namespace
}  // namespace berth::agents
