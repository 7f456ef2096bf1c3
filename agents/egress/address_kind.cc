#include "agents/egress/address_kind.h"

#include <algorithm>
#include <array>

namespace berth::agents {
namespace {

namespace ip = boost::asio::ip;

struct Network {
  std::uint32_t address;
  int bits;
};

bool is_in(std::uint32_t address, const Network& network) {
  return (address ^ network.address) >> (32 - network.bits) == 0;
}

AddressKind kind_of_v4(std::uint32_t address) {
  constexpr Network kNever[] = {
      {0x00000000, 8},   // this network
      {0x7f000000, 8},   // loopback
      {0xa9fe0000, 16},  // link-local, services of clouds among it
      {0xc0000000, 24},  // protocols
      {0xc0586300, 24},  // relays of 6to4
      {0xe0000000, 4},   // multicast
      {0xf0000000, 4},   // reserved, broadcast
  };
  constexpr Network kPrivate[] = {
      {0x0a000000, 8},
      {0xac100000, 12},
      {0xc0a80000, 16},
      {0x64400000, 10},  // carrier-grade NAT
      {0xc6120000, 15},  // benchmarks of networks
      // Documentation: the internet has none of them, so a network in which names lead there is somebody's
      // own.
      {0xc0000200, 24},
      {0xc6336400, 24},
      {0xcb007100, 24},
  };
  const auto holds = [&](const Network& network) { return is_in(address, network); };
  if (std::any_of(std::begin(kNever), std::end(kNever), holds)) return AddressKind::kNever;
  if (std::any_of(std::begin(kPrivate), std::end(kPrivate), holds)) return AddressKind::kPrivate;
  return AddressKind::kPublic;
}

using Bytes = ip::address_v6::bytes_type;

bool begins_with(const Bytes& bytes, std::initializer_list<unsigned char> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

AddressKind kind_of_v4_at(const Bytes& bytes, std::size_t at) {
  std::uint32_t address = 0;
  for (std::size_t i = 0; i < 4; ++i) address = address << 8 | bytes[at + i];
  return kind_of_v4(address);
}

}  // namespace

AddressKind kind_of(const ip::address& address) {
  if (address.is_v4()) return kind_of_v4(address.to_v4().to_uint());
  const Bytes bytes = address.to_v6().to_bytes();
  if (begins_with(bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})) return kind_of_v4_at(bytes, 12);
  if (begins_with(bytes, {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) return kind_of_v4_at(bytes, 12);
  if (begins_with(bytes, {0x20, 0x02})) return kind_of_v4_at(bytes, 2);  // 6to4
  if ((bytes[0] & 0xfe) == 0xfc) return AddressKind::kPrivate;           // unique local
  if ((bytes[0] & 0xe0) != 0x20) return AddressKind::kNever;  // all that is not given out as global unicast
  if (begins_with(bytes, {0x20, 0x01, 0x0d, 0xb8})) return AddressKind::kNever;  // documentation
  if (begins_with(bytes, {0x20, 0x01}) && (bytes[2] & 0xfe) == 0)
    return AddressKind::kNever;                                      // Teredo, protocols
  if (begins_with(bytes, {0x3f, 0xff})) return AddressKind::kNever;  // documentation
  return AddressKind::kPublic;
}

}  // namespace berth::agents
