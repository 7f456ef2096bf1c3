#include "agents/kernel/inside/passed_socket.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

namespace berth::agents {
namespace {

constexpr std::size_t kDescriptorsMax = 4;  // at once; the machine's kernel closes what does not fit

int option(const Descriptor& socket, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(socket.get(), SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

// The other end has a name in a file system, which is the kernel's: no socket of the host comes in there. The
// agent's own end of a channel has none, and abstract names are refused because nobody needs them.
bool has_path(const sockaddr_storage& peer, socklen_t size) {
  sockaddr_un address{};
  if (size <= offsetof(sockaddr_un, sun_path)) return false;
  std::memcpy(&address, &peer, sizeof address);
  return address.sun_path[0] != '\0';
}

bool is_loopback(const sockaddr_storage& address) {
  sockaddr_in v4{};
  std::memcpy(&v4, &address, sizeof v4);
  return v4.sin_family == AF_INET && ntohl(v4.sin_addr.s_addr) >> 24 == 127;
}

bool is_port(std::uint16_t port, const inside::Request& asked) {
  return asked.port == 0 || ntohs(port) == asked.port;
}

}  // namespace

ssize_t receive_with_descriptors(const Descriptor& channel, char* bytes, std::size_t size,
                                 std::vector<Descriptor>& came, bool& too_many) {
  alignas(cmsghdr) char control[CMSG_SPACE(kDescriptorsMax * sizeof(int))];
  iovec into{bytes, size};
  msghdr message{};
  message.msg_iov = &into;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(channel.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0) return got;
  if ((message.msg_flags & MSG_CTRUNC) != 0) too_many = true;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(head) + i * sizeof fd, sizeof fd);
      came.emplace_back(fd);
    }
  }
  return got;
}

bool is_connected_as_asked(const Descriptor& socket, const inside::Request& asked) {
  if (!socket || option(socket, SO_TYPE) != SOCK_STREAM || option(socket, SO_ACCEPTCONN) != 0) return false;
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer), &size) != 0) return false;
  const int domain = option(socket, SO_DOMAIN);
  if (domain == AF_UNIX) return asked.port == 0 && has_path(peer, size);
  if (option(socket, SO_PROTOCOL) != IPPROTO_TCP || peer.ss_family != domain) return false;
  if (domain == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &peer, sizeof v4);
    return v4.sin_addr.s_addr == htonl(INADDR_LOOPBACK) && is_port(v4.sin_port, asked);
  }
  if (domain != AF_INET6) return false;
  sockaddr_in6 v6{};
  std::memcpy(&v6, &peer, sizeof v6);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) && is_port(v6.sin6_port, asked);
}

bool is_connected_from_inside(const Descriptor& socket, std::uint16_t port) {
  if (!socket || option(socket, SO_TYPE) != SOCK_STREAM || option(socket, SO_ACCEPTCONN) != 0 ||
      option(socket, SO_DOMAIN) != AF_INET || option(socket, SO_PROTOCOL) != IPPROTO_TCP)
    return false;
  sockaddr_storage own{}, peer{};
  socklen_t own_size = sizeof own, peer_size = sizeof peer;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &own_size) != 0 ||
      getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0)
    return false;
  sockaddr_in v4{};
  std::memcpy(&v4, &own, sizeof v4);
  return is_loopback(own) && is_loopback(peer) && ntohs(v4.sin_port) == port;
}

}  // namespace berth::agents
