#include "agents/egress/address_rule.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

#include "agents/egress/address_kind.h"

namespace berth::agents {
namespace {

namespace ip = boost::asio::ip;

ip::address address_in(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    return ip::address_v4(ntohl(v4.sin_addr.s_addr));
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, address, sizeof v6);
  ip::address_v6::bytes_type bytes{};
  std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
  return ip::address_v6(bytes);
}

// Unknown: all are.
bool is_own(ip::address address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    address = ip::make_address_v4(ip::v4_mapped, address.to_v6());
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return true;
  bool own = false;
  for (const ifaddrs* one = all; one != nullptr && !own; one = one->ifa_next)
    if (one->ifa_addr != nullptr &&
        (one->ifa_addr->sa_family == AF_INET || one->ifa_addr->sa_family == AF_INET6))
      own = address_in(one->ifa_addr) == address;
  freeifaddrs(all);
  return own;
}

}  // namespace

bool may_dial(const ip::address& address, bool private_too) {
  const AddressKind kind = kind_of(address);
  const bool fits = kind == AddressKind::kPublic || (kind == AddressKind::kPrivate && private_too);
  return fits && !is_own(address);
}

}  // namespace berth::agents
