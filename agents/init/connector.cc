#include "agents/init/connector.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace berth::init {
namespace {

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

template <class Sockaddr> Address address_of(const Sockaddr& from) {
  Address address;
  std::memcpy(&address.bytes, &from, sizeof from);
  address.size = sizeof from;
  return address;
}

constexpr std::size_t kAddressesMax = 2;

// The address of this number; size 0: the place has no more.
Address address_at(const Place& place, std::size_t number) {
  if (place.port == 0) {
    sockaddr_un unix_one{};
    unix_one.sun_family = AF_UNIX;
    if (number > 0 || place.path.size() >= sizeof unix_one.sun_path) return {};
    std::memcpy(unix_one.sun_path, place.path.data(), place.path.size());
    return address_of(unix_one);
  }
  if (number == 0) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(place.port);
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address_of(v4);
  }
  if (number >= kAddressesMax) return {};
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(place.port);
  v6.sin6_addr = in6addr_loopback;
  return address_of(v6);
}

}  // namespace

Connector::State Connector::go_on() {
  while (address_at(place_, address_).size > 0) {
    switch (socket_ ? look() : begin()) {
      case Step::kWait: return State::kUnderWay;
      case Step::kMade: return State::kMade;
      case Step::kNext: break;
    }
    let_go();
    ++address_;
  }
  return State::kRefused;
}

Connector::Step Connector::begin() {
  const Address address = address_at(place_, address_);
  socket_ = Descriptor(socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_) return Step::kNext;
  if (connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address.bytes), address.size) == 0)
    return look();
  if (errno == EAGAIN) {  // a Unix socket: too many wait for whoever listens
    let_go();
    return Step::kWait;
  }
  if (errno != EINPROGRESS) return Step::kNext;
  loop_.watch(socket_.get(), EPOLLOUT, owner_);
  return Step::kWait;
}

Connector::Step Connector::look() const {
  pollfd ready{socket_.get(), POLLOUT, 0};
  if (poll(&ready, 1, 0) != 1) return Step::kWait;
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) return Step::kNext;
  return leads_to_itself() ? Step::kNext : Step::kMade;
}

// TCP connects a socket to itself if nobody listens and its own port happens to be the one asked for.
bool Connector::leads_to_itself() const {
  Address own, peer;
  own.size = peer.size = sizeof own.bytes;
  if (place_.port == 0 ||
      getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&own.bytes), &own.size) != 0 ||
      getpeername(socket_.get(), reinterpret_cast<sockaddr*>(&peer.bytes), &peer.size) != 0)
    return false;
  return own.size == peer.size && std::memcmp(&own.bytes, &peer.bytes, own.size) == 0;
}

Descriptor Connector::take() {
  loop_.forget(socket_.get());
  return std::exchange(socket_, Descriptor());
}

void Connector::let_go() {
  if (!socket_) return;
  loop_.forget(socket_.get());
  socket_ = Descriptor();
}

}  // namespace berth::init
