// Connections that a helper passes out of a kernel, for tests: at most 20 s each.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

#include "agents/kernel/inside/channel.h"
#include "tests/support/talk.h"

namespace berth::inside {

// What a channel gives to the request, or the error that it ends with.
inline Result<agents::Connected> connected(const std::string& door, const Request& request) {
  auto channel = agents::Channel::open(door);
  if (!channel.ok()) return channel.error();
  if (auto asked = channel->request(request); !asked.ok()) return asked.error();
  for (;;) {
    auto got = channel->connected();
    if (!got.ok()) return got.error();
    if (*got) return std::move(**got);
    pollfd ready{channel->descriptor(), POLLIN, 0};
    if (poll(&ready, 1, 20'000) != 1) return make_error("helper-silent", "nothing comes out");
  }
}

inline Result<Descriptor> connection(const std::string& door, const Request& request) {
  auto got = connected(door, request);
  if (!got.ok()) return got.error();
  return std::move(got->socket);
}

inline std::string code_of(const Result<Descriptor>& got) {
  return got.ok() ? "connected" : got.error().code.word();
}

// What comes back to a line, up to the newline.
inline std::string answer_to_line(const Descriptor& socket, const std::string& line) {
  EXPECT_EQ(send(socket.get(), (line + "\n").data(), line.size() + 1, MSG_NOSIGNAL),
            static_cast<ssize_t>(line.size() + 1));
  std::string text;
  while (text.empty() || text.back() != '\n') {
    pollfd ready{socket.get(), POLLIN, 0};
    char byte = 0;
    if (poll(&ready, 1, 20'000) != 1 || recv(socket.get(), &byte, 1, MSG_DONTWAIT) != 1) return text;
    text += byte;
  }
  text.pop_back();
  return text;
}

// A TCP socket that listens on a free port of a loopback address of this process's network.
class Listener {
 public:
  explicit Listener(const char* address = "127.0.0.1", int backlog = 1024)
      : v6_(std::string(address).find(':') != std::string::npos),
        socket_(socket(v6_ ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_storage bytes{};
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&bytes);
    auto* const v6 = reinterpret_cast<sockaddr_in6*>(&bytes);
    socklen_t size = v6_ ? sizeof *v6 : sizeof *v4;
    bytes.ss_family = v6_ ? AF_INET6 : AF_INET;
    inet_pton(bytes.ss_family, address,
              v6_ ? static_cast<void*>(&v6->sin6_addr) : static_cast<void*>(&v4->sin_addr));
    works_ = bind(socket_.get(), reinterpret_cast<sockaddr*>(&bytes), size) == 0 &&
             listen(socket_.get(), backlog) == 0 &&
             getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&bytes), &size) == 0;
    port_ = ntohs(v6_ ? v6->sin6_port : v4->sin_port);
  }
  bool works() const { return works_; }
  std::uint16_t port() const { return port_; }
  const Descriptor& socket_itself() const { return socket_; }
  Descriptor take() const { return Descriptor(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }

 private:
  bool v6_;
  Descriptor socket_;
  bool works_ = false;
  std::uint16_t port_ = 0;
};

// An app that answers each line by its process id and the line, as a program of Python. `before` runs first.
inline std::vector<std::string> echo_app(const std::string& before = "") {
  return {"python3", "-c", before + R"(
import os, socketserver
class Echo(socketserver.StreamRequestHandler):
  def handle(self):
    for line in self.rfile:
      self.wfile.write(b'%d ' % os.getpid() + line)
class Tcp(socketserver.ThreadingTCPServer):
  allow_reuse_address = True
  request_queue_size = 128
class Unix(socketserver.ThreadingUnixStreamServer):
  request_queue_size = 128
path = os.environ.get('BERTH_APP_SOCKET')
server = Unix(path, Echo) if path else Tcp(('127.0.0.1', int(os.environ['BERTH_APP_PORT'])), Echo)
print('process', os.getpid(), 'listens', flush=True)
server.serve_forever()
)"};
}

}  // namespace berth::inside
