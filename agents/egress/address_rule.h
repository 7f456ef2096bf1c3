// Whether an address may be dialled for a kernel, judged at each dialling: the machine's own addresses
// change.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <functional>

namespace berth::agents {

// `private_too`: a person has named the host.
using AddressRule = std::function<bool(const boost::asio::ip::address& address, bool private_too)>;

// No address of this machine, whatever kind it is; none of kind kNever; private ones where they may be.
bool may_dial(const boost::asio::ip::address& address, bool private_too);

}  // namespace berth::agents
