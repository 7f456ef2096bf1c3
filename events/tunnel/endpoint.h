// Addresses as agents announce them: "127.0.0.1:7411", "[::1]:7411". Names are not looked up.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <optional>
#include <string>

namespace berth::tunnel {

std::optional<boost::asio::ip::tcp::endpoint> endpoint_of(const std::string& address);
std::string text_of(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace berth::tunnel
