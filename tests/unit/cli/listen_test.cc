// A port of this machine that leads into a session: single connections with a server that is a list, and the
// listener with apps that say back what they hear.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "ops/cli/apps/local_connection.h"
#include "ops/cli/apps/port_listener.h"
#include "tests/unit/cli/fake_world.h"

namespace berth::cli {
namespace {

constexpr int kPatienceMs = 20'000;

RequestSigner no_signature() {
  return [](HttpRequest&) {};
}

// An end of a connection of this machine, as a program has it.
class Program {
 public:
  explicit Program(int descriptor) : descriptor_(descriptor) {}
  Program(Program&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~Program() { close(); }

  static Program connected_to(std::uint16_t port) {
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    EXPECT_EQ(::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return Program(descriptor);
  }
  void say(const std::string& bytes) const {
    EXPECT_EQ(::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // As much as goes at once.
  std::size_t say_all_that_fits(const std::string& bytes) const {
    return static_cast<std::size_t>(
        std::max<ssize_t>(0, ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT)));
  }
  void say_all() const { ::shutdown(descriptor_, SHUT_WR); }
  // So many bytes, or up to the end.
  std::string hear(std::size_t size = SIZE_MAX) const {
    std::string heard;
    while (heard.size() < size && awaits()) {
      char bytes[65'536];
      const ssize_t got = ::recv(descriptor_, bytes, std::min(sizeof bytes, size - heard.size()), 0);
      if (got < 0) return heard + "<reset>";
      if (got == 0) return size == SIZE_MAX ? heard : heard + "<end>";
      heard.append(bytes, static_cast<std::size_t>(got));
    }
    return heard;
  }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  bool awaits() const {
    pollfd one{descriptor_, POLLIN, 0};
    EXPECT_EQ(::poll(&one, 1, kPatienceMs), 1) << "nothing came";
    return one.revents != 0;
  }
  int descriptor_;
};

// Two ends of a TCP connection.
std::pair<Program, int> pair_of_ends() {
  const int listens = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(listens, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(listens, 1), 0);
  EXPECT_EQ(::getsockname(listens, reinterpret_cast<sockaddr*>(&address), &size), 0);
  Program program = Program::connected_to(ntohs(address.sin_port));
  const int local = ::accept4(listens, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  ::close(listens);
  return {std::move(program), local};
}

class Connecting : public ::testing::Test {
 protected:
  Connecting() : stop_(::eventfd(0, EFD_CLOEXEC)) {}
  ~Connecting() override {
    if (runs_.valid()) runs_.wait();
    ::close(stop_);
  }

  void serve(std::deque<Said> says) {
    FakeConnection connection;
    connection.says = std::move(says);
    sockets.connections.push_back(std::move(connection));
  }
  // Passes a connection on; the program's end of it.
  Program begin() {
    auto [program, local] = pair_of_ends();
    runs_ = std::async(std::launch::async, [this, local = local] {
      LocalConnection passed(local, {std::make_unique<FakeSocket>(sockets), no_signature()}, "/connect",
                             stop_);
      return passed.run([this] { heard = true; });
    });
    return std::move(program);
  }
  void stop() { ::eventfd_write(stop_, 1); }
  // How it ended: "", or the code of its failure.
  std::string ending() {
    const auto ended = runs_.get();
    return ended ? "" : ended.failure().code.word();
  }
  static Said bytes(const std::string& bytes) { return SocketMessage{true, bytes}; }
  static Said after_input() {
    return Until([](const FakeSockets& s) { return s.was_told(R"({"end_of_input":true})"); });
  }
  static Said never() {
    return Until([](const FakeSockets&) { return false; });
  }

  FakeSockets sockets;
  std::atomic<bool> heard = false;

 private:
  const int stop_;
  std::future<Outcome<bool>> runs_;
};

TEST_F(Connecting, BytesGoBothWaysAndAnEndOfInputLeavesTheOther) {
  serve({after_input(), bytes("ans"), bytes("wer"), SocketEnd{1000, ""}});
  const auto program = begin();
  program.say("question");
  program.say_all();
  EXPECT_EQ(program.hear(), "answer");
  EXPECT_EQ(ending(), "");
  EXPECT_EQ(sockets.typed(), "question");
  EXPECT_EQ(sockets.asked.at(0).target, "/connect");
  EXPECT_EQ(header_of(sockets.asked[0], "Sec-WebSocket-Protocol"), "berth.session.v1");
  EXPECT_TRUE(heard);
}

TEST_F(Connecting, AnAppThatHasSaidAllStillHears) {
  serve({bytes("hello"), text(R"({"end_of_input":true})"), after_input(), never()});
  const auto program = begin();
  EXPECT_EQ(program.hear(), "hello");
  program.say("goodbye");
  program.say_all();
  EXPECT_EQ(ending(), "") << "both have said all";
  EXPECT_EQ(sockets.typed(), "goodbye");
}

TEST_F(Connecting, WhatTheAppSaysWaitsForItsReader) {
  constexpr int kMessages = 400;
  const std::string piece(LocalConnection::kPieceMax, 'x');
  std::atomic<int> taken = 0;
  std::deque<Said> says;
  for (int i = 0; i < kMessages; ++i) {
    says.push_back(bytes(piece));
    says.push_back(Until([&taken](const FakeSockets&) { return ++taken > 0; }));
  }
  says.push_back(SocketEnd{1000, ""});
  serve(std::move(says));
  const auto program = begin();
  for (int before = -1; before != taken || taken == 0;) {  // until no more is taken
    before = taken;
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // nothing tells that it waits
  }
  EXPECT_LT(taken, kMessages / 2) << "the kernel's buffers, and 256 KiB here";
  EXPECT_EQ(program.hear().size(), piece.size() * kMessages);
  EXPECT_EQ(ending(), "");
}

TEST_F(Connecting, WhatTheProgramSaysWaitsForTheServer) {
  sockets.unsent = LocalConnection::kAheadMax;
  serve({never()});
  const auto program = begin();
  const std::string piece(1 << 20, 'x');
  while (program.say_all_that_fits(piece) > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  stop();
  EXPECT_EQ(ending(), "");
  EXPECT_TRUE(sockets.heard.empty());
}

TEST_F(Connecting, WhatBreaksIsNoWholeAnswer) {
  serve({bytes("half"), SocketEnd{0, "broken"}});
  const auto cut = begin();
  const std::string said = cut.hear();
  EXPECT_NE(said.find("<reset>"), std::string::npos) << said;
  EXPECT_EQ(ending(), "connection-lost");
  serve({text(R"({"problem":{"code":"port-not-open","message":"nobody listens"}})")});
  const auto closed = begin();
  EXPECT_EQ(closed.hear(), "<reset>");
  EXPECT_EQ(ending(), "port-not-open");
  sockets.connections.push_back({problem(503, "port-not-open"), {}});
  const auto again = begin();
  EXPECT_EQ(ending(), "port-not-open") << "which a program is to hear at once";
  serve({text("nonsense")});
  const auto other = begin();
  EXPECT_EQ(ending(), "not-berth");
}

TEST_F(Connecting, AServerThatStartsAgainIsWaitedFor) {
  sockets.connections.push_back({unreachable_error("127.0.0.1", "7410", "refused"), {}});
  sockets.connections.push_back({problem(503, "agent-busy"), {}});
  serve({bytes("there"), SocketEnd{1000, ""}});
  EXPECT_EQ(begin().hear(), "there");
  EXPECT_EQ(ending(), "");
  EXPECT_EQ(sockets.asked.size(), 3u);
  sockets.connections.push_back({problem(409, "session-ended"), {}});
  EXPECT_EQ(begin().hear(), "<reset>");
  EXPECT_EQ(ending(), "session-ended");
  EXPECT_EQ(sockets.asked.size(), 4u) << "nothing to wait for";
}

TEST_F(Connecting, IsStoppedInTheMiddle) {
  serve({bytes("half"), never()});
  const auto program = begin();
  EXPECT_EQ(program.hear(4), "half");
  stop();
  EXPECT_EQ(ending(), "");
  EXPECT_EQ(program.hear(), "<reset>");
  EXPECT_EQ(sockets.closed, 1);
}

// An app that says back what it hears, and ends when all was said.
class EchoSocket final : public WebSocket {
 public:
  explicit EchoSocket(std::atomic<int>& open) : open_(open) {}

  Result<HttpReply> connect(const HttpRequest& request, Deadline) override {
    if (request.target.ends_with("/gone/connect")) return problem(409, "session-ended", "it is over");
    if (request.target.ends_with("/closed/connect")) return problem(409, "port-not-open", "nobody listens");
    ++open_;
    return HttpReply{101, {{"sec-websocket-protocol", "berth.session.v1"}}, {}};
  }
  void send(SocketMessage message) override {
    if (message.binary)
      says_.emplace_back(std::move(message));
    else
      says_.emplace_back(SocketEnd{1000, ""});
  }
  std::size_t unsent() const override { return 0; }
  Woken wait(std::vector<Watch>& watches, bool messages, Deadline) override {
    std::vector<pollfd> polled;
    for (const Watch& watch : watches)
      polled.push_back({watch.descriptor, static_cast<short>(watch.to_write ? POLLOUT : POLLIN), 0});
    const bool says = messages && !says_.empty();
    ::poll(polled.data(), polled.size(), says ? 0 : kPatienceMs);
    for (std::size_t i = 0; i < watches.size(); ++i) watches[i].ready = polled[i].revents != 0;
    Woken woken;
    if (!says) return woken;
    if (auto* message = std::get_if<SocketMessage>(&says_.front()))
      woken.message = std::move(*message);
    else
      woken.end = std::get<SocketEnd>(says_.front());
    says_.pop_front();
    return woken;
  }
  void close() override { --open_; }

 private:
  std::atomic<int>& open_;
  std::deque<Said> says_;
};

class Listening : public ::testing::Test {
 protected:
  Listening() : stop_(::eventfd(0, EFD_CLOEXEC)) {}
  ~Listening() override {
    stop();
    if (runs_.valid()) runs_.wait();
    ::close(stop_);
  }
  ListenAim aim(const std::string& app = "a") {
    return {"/v1/sessions/demo/apps/" + app + "/connect",
            [this] {
              return Outcome<SignedSocket>({std::make_unique<EchoSocket>(open), no_signature()});
            },
            [this](const std::string& text) { notes.push_back(text); }};
  }
  std::uint16_t begin(const std::string& app = "a") {
    listener_ = std::make_unique<PortListener>(aim(app));
    const auto port = listener_->bind(0);
    EXPECT_TRUE(port);
    runs_ = std::async(std::launch::async, [this] { return listener_->run(stop_); });
    return *port;
  }
  void stop() { ::eventfd_write(stop_, 1); }
  Outcome<bool> ending() { return runs_.get(); }

  std::atomic<int> open = 0;
  std::vector<std::string> notes;  // to be read when it has ended

 private:
  const int stop_;
  std::unique_ptr<PortListener> listener_;
  std::future<Outcome<bool>> runs_;
};

TEST_F(Listening, EachConnectionIsOneToTheApp) {
  const auto port = begin();
  std::vector<Program> programs;
  for (int i = 0; i < 10; ++i) {
    programs.push_back(Program::connected_to(port));
    programs.back().say("number " + std::to_string(i));
  }
  for (int i = 9; i >= 0; --i) {
    programs[i].say_all();
    EXPECT_EQ(programs[i].hear(), "number " + std::to_string(i));
  }
  stop();
  EXPECT_TRUE(ending());
  EXPECT_EQ(open, 0);
  EXPECT_TRUE(notes.empty());
}

TEST_F(Listening, TakesSoManyAndTurnsTheNextAway) {
  const auto port = begin();
  std::vector<Program> programs;
  for (std::size_t i = 0; i < PortListener::kConnectionsMax; ++i) {
    programs.push_back(Program::connected_to(port));
    programs.back().say("x");
    ASSERT_EQ(programs.back().hear(1), "x");
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Program::connected_to(port).hear(), "<reset>");
  programs.front().say_all();
  EXPECT_EQ(programs.front().hear(), "");
  for (std::string heard; heard != "y";) {  // its place is free a moment later
    const auto next = Program::connected_to(port);
    next.say_all_that_fits("y");
    heard = next.hear(1);
  }
  stop();
  EXPECT_TRUE(ending());
  EXPECT_EQ(open, 0) << "those that were open have ended with it";
  ASSERT_FALSE(notes.empty());
  EXPECT_EQ(notes[0], "64 connections are open, and no more are taken: one more was turned away");
}

TEST_F(Listening, APortThatIsInUseIsSaid) {
  const auto port = begin();
  PortListener second(aim());
  const auto bound = second.bind(port);
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.failure().code, "port-in-use");
  EXPECT_EQ(bound.failure().exit, kConflict);
  EXPECT_NE(bound.failure().hint.find("--port 0"), std::string::npos);
}

TEST_F(Listening, WhatPassesIsSaidOnceAndWhatDoesNotEndsAll) {
  const auto port = begin("closed");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Program::connected_to(port).hear(), "<reset>");
  stop();
  EXPECT_TRUE(ending());
  EXPECT_EQ(notes, std::vector<std::string>{"port-not-open: nobody listens"});
}

TEST_F(Listening, EndsWithItsSession) {
  const auto port = begin("gone");
  EXPECT_EQ(Program::connected_to(port).hear(), "<reset>");
  const auto ended = ending();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.failure().code, "session-ended");
}

TEST(Listen, BindsThisMachineAloneAndEndsByCtrlC) {
  FakeWorld w;
  w.server.answer = [](const HttpRequest& request) -> Result<HttpReply> {
    if (request.target == "/v1/sessions/demo") return json_reply(R"({"id":"0123-45","status":"RUNNING"})");
    return json_reply(R"({"items":[{"name":"a","protocol":"tcp","port":1,"state":"stopped"},
                                   {"name":"t","protocol":"pty","port":2}]})");
  };
  ::signal(SIGINT, SIG_DFL);
  std::thread presses([] {
    struct sigaction now {};
    do ::sigaction(SIGINT, nullptr, &now);
    while (now.sa_handler == SIG_DFL);
    ::kill(::getpid(), SIGINT);
  });
  const auto ran = w.run({"app", "listen", "demo", "a", "--port", "0"});
  presses.join();
  EXPECT_EQ(ran.exit, 0) << ran.err;
  EXPECT_EQ(ran.out.find("127.0.0.1:"), 0u) << ran.out;
  EXPECT_NE(ran.err.find("from this machine alone"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("berth app start demo a"), std::string::npos) << ran.err;
  EXPECT_EQ(w.run({"app", "listen", "demo", "a", "--port", "70000"}).exit, kUsage);
  EXPECT_NE(w.run({"app", "listen", "demo", "t"}).err.find("app-in-terminal"), std::string::npos);
}

}  // namespace
}  // namespace berth::cli
