#include "bench/app/byte_relay.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bench/tools.h"

namespace berth::bench {
namespace {

constexpr std::size_t kRelayPiece = 64u << 10;  // as Berth's own relays have it
constexpr int kLookEveryMs = 50;                // whether it is to stop

[[noreturn]] void fail(const char* what) {
  give_up(make_error("internal-error", std::string(what) + ": " + std::strerror(errno)));
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return at;
}

void send_at_once(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

struct ByteRelay::Way {
  int from = -1, to = -1;
  std::unique_ptr<char[]> bytes = std::make_unique<char[]>(kRelayPiece);
  std::size_t at = 0, size = 0;  // what is left to be sent
};

struct ByteRelay::Pair {
  int client = -1, app = -1;
  Way up, down;
};

ByteRelay::ByteRelay(std::uint16_t to, std::string network)
    : to_(to),
      network_(std::move(network)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      ready_(::epoll_create1(EPOLL_CLOEXEC)) {
  sockaddr_in at = loopback(0);
  socklen_t size = sizeof at;
  auto* const address = reinterpret_cast<sockaddr*>(&at);
  if (::bind(listener_, address, size) != 0 || ::listen(listener_, 1024) != 0 ||
      ::getsockname(listener_, address, &size) != 0)
    fail("a relay cannot listen");
  port_ = ntohs(at.sin_port);
  thread_ = std::thread([this] { run(); });
}

ByteRelay::~ByteRelay() {
  stopping_ = true;
  thread_.join();
  for (const auto& pair : pairs_)
    if (pair->client >= 0) {
      ::close(pair->client);
      ::close(pair->app);
    }
  ::close(listener_);
  ::close(ready_);
}

// The listener stays in the namespace in which it was made; what the thread makes from now on is in the
// other.
void ByteRelay::run() {
  if (!network_.empty()) {
    const int network = ::open(network_.c_str(), O_RDONLY | O_CLOEXEC);
    if (network < 0 || ::setns(network, CLONE_NEWNET) != 0) fail("a relay cannot enter the kernel's network");
    ::close(network);
  }
  epoll_event event{};
  event.events = EPOLLIN;
  ::epoll_ctl(ready_, EPOLL_CTL_ADD, listener_, &event);
  epoll_event events[64];
  while (!stopping_) {
    const int count = ::epoll_wait(ready_, events, 64, kLookEveryMs);
    for (int i = 0; i < count; ++i) {
      auto* const pair = static_cast<Pair*>(events[i].data.ptr);
      if (pair == nullptr) {
        accept_one();
      } else if (pair->client >= 0 && (!pump(pair->up) || !pump(pair->down))) {
        ::close(std::exchange(pair->client, -1));
        ::close(std::exchange(pair->app, -1));
      }
    }
  }
}

void ByteRelay::accept_one() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  const int app = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in to = loopback(to_);
  if (client < 0 || ::connect(app, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    fail("a relay cannot connect");
  send_at_once(client);
  send_at_once(app);
  Pair& pair = *pairs_.emplace_back(std::make_unique<Pair>());
  pair.client = pair.up.from = pair.down.to = client;
  pair.app = pair.up.to = pair.down.from = app;
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLET;
  event.data.ptr = &pair;
  for (const int fd : {client, app}) ::epoll_ctl(ready_, EPOLL_CTL_ADD, fd, &event);
}

// Until a side has no more or takes no more. False: a side is gone.
bool ByteRelay::pump(Way& way) {
  for (;;) {
    if (way.size == 0) {
      const ssize_t got = ::recv(way.from, way.bytes.get(), kRelayPiece, MSG_DONTWAIT);
      if (got == 0) return false;
      if (got < 0) return errno == EAGAIN;
      way.at = 0;
      way.size = static_cast<std::size_t>(got);
    }
    const ssize_t sent = ::send(way.to, way.bytes.get() + way.at, way.size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN;
    way.at += static_cast<std::size_t>(sent);
    way.size -= static_cast<std::size_t>(sent);
  }
}

}  // namespace berth::bench
