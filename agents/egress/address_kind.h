// Which kind of place an IP address names: what a kernel may be led to depends on it. Pure.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstdint>

namespace berth::agents {

enum class AddressKind : std::uint8_t {
  kPublic,
  kPrivate,  // RFC 1918, unique local, carrier-grade NAT, documentation (IPv4): a network of the operator's
             // own
  kNever,    // loopback, link-local, multicast, unspecified, reserved
};

// An IPv4 address in an IPv6 one (mapped, NAT64, 6to4) is judged as the IPv4 address that it leads to.
AddressKind kind_of(const boost::asio::ip::address& address);

}  // namespace berth::agents
