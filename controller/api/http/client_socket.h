// Where a client's connection comes from, and whether the client is still there.
#pragma once

#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <string>

namespace berth::controller::api {

// An IPv4 client of a socket for both is one of IPv4.
inline boost::asio::ip::address remote_address(const boost::asio::ip::tcp::socket& socket) {
  boost::system::error_code error;
  const auto address = socket.remote_endpoint(error).address();
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
  return address;
}

// What one limit counts as one client: an IPv4 address, or an IPv6 network of 64 bits.
inline std::string source_of(const boost::asio::ip::tcp::socket& socket) {
  const auto address = remote_address(socket);
  if (address.is_v4()) return address.to_string();
  const auto bytes = address.to_v6().to_bytes();
  return std::string(bytes.begin(), bytes.begin() + 8);
}

// Never waits: what was to be read may have been taken meanwhile.
inline bool is_closed(boost::asio::ip::tcp::socket& socket) {
  char next = 0;
  const auto size = ::recv(socket.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

}  // namespace berth::controller::api
