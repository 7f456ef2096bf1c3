// What `berth-bench app` serves in a container, on 127.0.0.1:8000. Static, since images hold no library of
// ours; one thread, which is never what a measurement waits for.
//
//   GET /BYTES        200 and a body of so many bytes
//   POST              200, when its body has come whole; it is thrown away
//   an upgrade        101; each WebSocket frame comes back. Nobody proves a key: the client is the benchmark.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::uint16_t kPort = 8000;
constexpr std::size_t kPiece = 256u << 10;
char g_body[kPiece];

struct Peer {
  int fd = -1;
  bool frames = false;         // after an upgrade
  std::string in, out;         // of headers and frames
  std::uint64_t body_in = 0;   // bytes of a request's body that are still to come
  std::uint64_t body_out = 0;  // bytes of an answer's body that are still to go
  bool owes_answer = false;    // to a POST
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void answer(Peer& peer, std::uint64_t bytes) {
  peer.out += "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: " +
              std::to_string(bytes) + "\r\n\r\n";
  peer.body_out = bytes;
}

// One request's header. False: it is not whole.
bool take_header(Peer& peer) {
  const auto end = peer.in.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  const std::string head = lower(peer.in.substr(0, end + 2));
  peer.in.erase(0, end + 4);
  if (head.find("\r\nupgrade:") != std::string::npos) {
    peer.out += "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    peer.frames = true;
  } else if (head.starts_with("post ")) {
    const std::string_view name = "\r\ncontent-length:";
    const auto at = head.find(name);
    if (at != std::string::npos) peer.body_in = std::strtoull(head.c_str() + at + name.size(), nullptr, 10);
    peer.owes_answer = true;
  } else {
    const auto slash = head.find('/');
    answer(peer, slash == std::string::npos ? 0 : std::strtoull(head.c_str() + slash + 1, nullptr, 10));
  }
  return true;
}

// One frame of at most 64 KiB, masked. False: it is not whole.
bool take_frame(Peer& peer) {
  std::string& in = peer.in;
  const auto at = [&in](std::size_t i) { return static_cast<unsigned char>(in[i]); };
  if (in.size() < 2) return false;
  std::size_t size = at(1) & 0x7F, head = 2;
  if (size == 126) {
    if (in.size() < 4) return false;
    size = static_cast<std::size_t>(at(2)) << 8 | at(3);
    head = 4;
  }
  if (in.size() < head + 4 + size) return false;
  peer.out += in.substr(0, head);
  peer.out[peer.out.size() - head + 1] = static_cast<char>(at(1) & 0x7F);
  for (std::size_t i = 0; i < size; ++i) peer.out += static_cast<char>(at(head + 4 + i) ^ at(head + i % 4));
  in.erase(0, head + 4 + size);
  return true;
}

void take(Peer& peer, const char* bytes, std::size_t size) {
  const std::size_t of_body = static_cast<std::size_t>(std::min<std::uint64_t>(peer.body_in, size));
  peer.body_in -= of_body;
  peer.in.append(bytes + of_body, size - of_body);
  for (;;) {
    if (peer.owes_answer) {
      const std::size_t more =
          static_cast<std::size_t>(std::min<std::uint64_t>(peer.body_in, peer.in.size()));
      peer.in.erase(0, more);
      peer.body_in -= more;
      if (peer.body_in > 0) return;
      peer.owes_answer = false;
      answer(peer, 0);
    }
    if (peer.body_out > 0 || !(peer.frames ? take_frame(peer) : take_header(peer))) return;
  }
}

// False: the other side is gone.
bool send_some(Peer& peer) {
  while (!peer.out.empty() || peer.body_out > 0) {
    const bool head = !peer.out.empty();
    const char* const from = head ? peer.out.data() : g_body;
    const std::size_t size =
        head ? peer.out.size() : static_cast<std::size_t>(std::min<std::uint64_t>(peer.body_out, kPiece));
    const ssize_t sent =
        ::send(peer.fd, from, size, MSG_DONTWAIT | MSG_NOSIGNAL | (head && peer.body_out > 0 ? MSG_MORE : 0));
    if (sent < 0) return errno == EAGAIN;
    if (head)
      peer.out.erase(0, static_cast<std::size_t>(sent));
    else
      peer.body_out -= static_cast<std::uint64_t>(sent);
  }
  return true;
}

bool serve(Peer& peer) {
  static char bytes[kPiece];
  if (!send_some(peer)) return false;
  while (peer.out.empty() && peer.body_out == 0) {
    const ssize_t got = ::recv(peer.fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN;
    take(peer, bytes, static_cast<std::size_t>(got));
    if (!send_some(peer)) return false;
  }
  return true;
}

int listen_there() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(kPort);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0 && ::listen(fd, 1024) == 0)
    return fd;
  std::perror("berth-bench-served");
  std::exit(1);
}

}  // namespace

int main() {
  std::memset(g_body, 'x', sizeof g_body);
  const int listener = listen_there(), ready = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<Peer> peers;  // by descriptor
  const auto watch = [ready](int fd, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    ::epoll_ctl(ready, EPOLL_CTL_ADD, fd, &event);
  };
  watch(listener, EPOLLIN);
  std::puts("listening");
  std::fflush(stdout);
  epoll_event events[64];
  for (;;) {
    const int count = ::epoll_wait(ready, events, 64, -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == listener) {
        const int peer = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (peer < 0) continue;
        const int on = 1;
        ::setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        peers.resize(std::max(peers.size(), static_cast<std::size_t>(peer) + 1));
        peers[static_cast<std::size_t>(peer)] = Peer{};
        peers[static_cast<std::size_t>(peer)].fd = peer;
        watch(peer, EPOLLIN | EPOLLOUT | EPOLLET);
      } else if (!serve(peers[static_cast<std::size_t>(fd)])) {
        ::close(fd);
      }
    }
  }
}
