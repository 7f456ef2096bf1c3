// The WebSocket of the CLI against a server that says exactly what a test wants, byte by byte.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "ops/cli/http/transport_errors.h"
#include "ops/cli/http/web_socket.h"

namespace berth::cli {
namespace {

using namespace std::chrono_literals;

WebSocket::Deadline soon() { return std::chrono::steady_clock::now() + 20s; }

// RFC 6455, 4.2.2.
std::string accept_of(const std::string& key) {
  const std::string text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char digest[EVP_MAX_MD_SIZE], coded[64];
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha1(), nullptr);
  return {reinterpret_cast<char*>(coded),
          static_cast<std::size_t>(EVP_EncodeBlock(coded, digest, static_cast<int>(size)))};
}

// A frame from the server: whole, unmasked.
std::string frame(int opcode, const std::string& bytes) {
  std::string out(1, static_cast<char>(0x80 | opcode));
  if (bytes.size() < 126)
    out += static_cast<char>(bytes.size());
  else
    out += {126, static_cast<char>(bytes.size() >> 8), static_cast<char>(bytes.size() & 255)};
  return out + bytes;
}

// One connection of a server, in a thread of its own.
class Peer {
 public:
  template <class Serve> explicit Peer(Serve serve) {
    listens_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listens_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listens_, 4), 0);
    EXPECT_EQ(::getsockname(listens_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this, serve = std::move(serve)]() mutable {
      peer_ = ::accept4(listens_, nullptr, nullptr, SOCK_CLOEXEC);
      serve(*this);
      ::close(peer_);
    });
  }
  ~Peer() {
    finish();
    ::close(listens_);
  }

  // Waits until the server has done all.
  void finish() {
    if (thread_.joinable()) thread_.join();
  }
  HttpServer server() const { return {"127.0.0.1", port_, false, {}, {}}; }

  std::string head() {
    std::string head;
    for (char c = 0; !head.ends_with("\r\n\r\n") && ::read(peer_, &c, 1) == 1;) head += c;
    return head;
  }
  void say(const std::string& bytes) {
    EXPECT_GE(::send(peer_, bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
  }
  void open() {
    const std::string asked = head(), name = "Sec-WebSocket-Key: ";
    const auto at = asked.find(name) + name.size();
    say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Protocol: berth.session.v1\r\nSec-WebSocket-Accept: " +
        accept_of(asked.substr(at, asked.find('\r', at) - at)) + "\r\n\r\n");
  }
  // The next frame of the client: opcode and unmasked bytes.
  std::pair<int, std::string> hear() {
    const std::string start = take(2);
    if (start.empty()) return {-1, {}};
    std::size_t size = static_cast<unsigned char>(start[1]) & 0x7f;
    EXPECT_TRUE(static_cast<unsigned char>(start[1]) & 0x80) << "a client masks";
    const std::size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
    if (more > 0) size = 0;
    for (const char c : take(more)) size = size << 8 | static_cast<unsigned char>(c);
    const std::string mask = take(4);
    std::string bytes = take(size);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i] ^ mask[i % 4]);
    return {start[0] & 0xf, bytes};
  }

 private:
  std::string take(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t at = 0; at < size;) {
      const ssize_t got = ::read(peer_, bytes.data() + at, size - at);
      if (got <= 0) return {};
      at += static_cast<std::size_t>(got);
    }
    return bytes;
  }

  int listens_ = -1, peer_ = -1;
  std::string port_;
  std::thread thread_;
};

HttpRequest upgrade() {
  return {"GET",
          "/v1/sessions/demo/exec",
          {{"Host", "127.0.0.1:7410"},
           {"Authorization", "signed"},
           {"Sec-WebSocket-Protocol", "berth.session.v1"}},
          {}};
}

TEST(WebSocket, AsksForTheSwitchWithWhatWasSigned) {
  std::string asked;
  Peer peer([&](Peer& p) {
    asked = p.head();
    p.say("HTTP/1.1 409 Conflict\r\nContent-Type: application/problem+json\r\nContent-Length: 4\r\n\r\nbody");
  });
  const auto reply = make_web_socket(peer.server())->connect(upgrade(), soon());
  ASSERT_TRUE(reply);
  peer.finish();
  EXPECT_EQ(reply->status, 409u);
  EXPECT_EQ(reply->body, "body");
  EXPECT_EQ(reply->header("content-type"), "application/problem+json");
  for (const char* line :
       {"GET /v1/sessions/demo/exec HTTP/1.1\r\n", "Host: 127.0.0.1:7410\r\n", "Authorization: signed\r\n",
        "Upgrade: websocket\r\n", "Sec-WebSocket-Protocol: berth.session.v1\r\n"})
    EXPECT_NE(asked.find(line), std::string::npos) << line << asked;
  EXPECT_EQ(asked.find("Origin"), std::string::npos);
}

TEST(WebSocket, TalksAndHearsHowItEnds) {
  std::vector<std::pair<int, std::string>> heard;
  Peer peer([&](Peer& p) {
    p.open();
    for (int i = 0; i < 2; ++i) heard.push_back(p.hear());
    p.say(frame(1, "{}") + frame(9, "are you there") + frame(2, std::string("\x01\0x", 3)) +
          frame(8, "\x03\xf0said"));
    for (int i = 0; i < 2; ++i) heard.push_back(p.hear());
  });
  const auto socket = make_web_socket(peer.server());
  ASSERT_EQ(socket->connect(upgrade(), soon())->status, 101u);
  socket->send({false, "first"});
  socket->send({true, std::string(100'000, 'x')});
  std::vector<Watch> none;
  std::vector<SocketMessage> messages;
  std::optional<SocketEnd> end;
  while (!end) {
    auto woken = socket->wait(none, true, soon());
    if (woken.message) messages.push_back(*woken.message);
    end = woken.end;
  }
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_FALSE(messages[0].binary);
  EXPECT_TRUE(messages[1].binary);
  EXPECT_EQ(messages[1].bytes, std::string("\x01\0x", 3));
  EXPECT_EQ(end->code, 1008);
  EXPECT_EQ(end->reason, "said");
  EXPECT_EQ(socket->unsent(), 0u);
  peer.finish();
  ASSERT_EQ(heard.size(), 4u);
  EXPECT_EQ(heard[0], std::pair(1, std::string("first")));
  EXPECT_EQ(heard[1], std::pair(2, std::string(100'000, 'x')));
  EXPECT_EQ(heard[2], std::pair(10, std::string("are you there")));
  EXPECT_EQ(heard[3].first, 8);
}

TEST(WebSocket, AwaitsDescriptorsBesideMessages) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  Peer peer([&](Peer& p) {
    p.open();
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
    p.hear();
    p.say(frame(1, "late"));
    p.hear();
  });
  const auto socket = make_web_socket(peer.server());
  ASSERT_EQ(socket->connect(upgrade(), soon())->status, 101u);
  std::vector<Watch> input{{ends[0], false, false}};
  auto woken = socket->wait(input, true, soon());
  EXPECT_TRUE(input[0].ready);
  EXPECT_FALSE(woken.message || woken.end);
  EXPECT_EQ(::fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 1);
  socket->send({true, "x"});
  while (!woken.message) woken = socket->wait(input, true, soon());
  EXPECT_EQ(woken.message->bytes, "late");
  EXPECT_FALSE(input[0].ready);
  const int null = ::open("/dev/null", O_RDONLY);
  std::vector<Watch> file{{null, false, false}};
  socket->wait(file, true, soon());
  EXPECT_TRUE(file[0].ready);
  socket->close();
  for (const int descriptor : {ends[0], ends[1], null}) ::close(descriptor);
}

// Else a program that writes before it reads would wait for its own output.
TEST(WebSocket, HearsAServerThatTakesNothing) {
  std::promise<void> stalled, heard;
  Peer peer([says = stalled.get_future(), takes = heard.get_future()](Peer& p) mutable {
    p.open();
    says.wait();
    p.say(frame(9, "are you there") + frame(1, "still") + frame(9, "and now"));
    takes.wait();
    while (p.hear().first >= 0) {}
  });
  const auto socket = make_web_socket(peer.server());
  ASSERT_EQ(socket->connect(upgrade(), soon())->status, 101u);
  for (int i = 0; i < 256; ++i) socket->send({true, std::string(1 << 16, 'x')});
  std::vector<Watch> none;
  for (std::size_t before = SIZE_MAX; socket->unsent() < before;) {
    before = socket->unsent();
    socket->wait(none, true, std::chrono::steady_clock::now() + 200ms);
  }
  EXPECT_GT(socket->unsent(), 0u);
  stalled.set_value();
  Woken woken;
  while (!woken.message && !woken.end) woken = socket->wait(none, true, soon());
  heard.set_value();
  ASSERT_TRUE(woken.message);
  EXPECT_EQ(woken.message->bytes, "still");
  while (socket->unsent() > 0) socket->wait(none, true, soon());
  socket->close();
}

TEST(WebSocket, ThatBreaksOrSaysNonsenseHasEnded) {
  for (const std::string& last :
       {std::string(), frame(3, "no such frame"), std::string("\x82\x7f\0\0\0\0\x40\0\0\0", 10)}) {
    Peer peer([&](Peer& p) {
      p.open();
      p.say(last);
    });
    const auto socket = make_web_socket(peer.server());
    ASSERT_EQ(socket->connect(upgrade(), soon())->status, 101u);
    std::vector<Watch> none;
    Woken woken;
    while (!woken.end) woken = socket->wait(none, true, soon());
    EXPECT_EQ(woken.end->code, 0);
    EXPECT_NE(woken.end->reason, "");
  }
}

TEST(WebSocket, ToNobodyIsUnreachableAndToTheSilentLate) {
  HttpServer nobody{"127.0.0.1", "1", false, {}, {}};
  EXPECT_TRUE(is_unreachable(make_web_socket(nobody)->connect(upgrade(), soon()).error()));
  Peer peer([](Peer& p) { p.head(), p.hear(); });
  const auto late =
      make_web_socket(peer.server())->connect(upgrade(), std::chrono::steady_clock::now() + 50ms);
  EXPECT_TRUE(is_reply_timeout(late.error()));
}

TEST(WebSocket, WaitsForDescriptorsWithoutAConnection) {
  const auto socket = make_web_socket({"127.0.0.1", "1", false, {}, {}});
  std::vector<Watch> none;
  EXPECT_FALSE(socket->wait(none, true, std::chrono::steady_clock::now() + 1ms).end);
  socket->close();
  EXPECT_EQ(socket->unsent(), 0u);
}

TEST(WebSocket, DoesNotWaitForeverForAGoodbye) {
  Peer peer([](Peer& p) {
    p.open();
    while (p.hear().first >= 0) {}
  });
  const auto socket = make_web_socket(peer.server());
  ASSERT_EQ(socket->connect(upgrade(), soon())->status, 101u);
  const auto before = std::chrono::steady_clock::now();
  socket->close();
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
}

}  // namespace
}  // namespace berth::cli
