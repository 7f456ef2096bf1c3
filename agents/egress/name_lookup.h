// NameLookup: asks the machine for the addresses of names, on threads of its own, since that may take long.
// A slow name holds one of them: the others go on.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "events/base/result.h"

namespace berth::agents {

using Addresses = std::vector<boost::asio::ip::address>;
// Called once, on any thread, and not at all after the lookup has stopped. It must not block.
using LookedUp = std::function<void(Result<Addresses>)>;
// Codes: name-unknown, lookup-busy.
using LookUp = std::function<void(const std::string& host, LookedUp done)>;

class NameLookup {
 public:
  static constexpr std::size_t kThreads = 4;
  static constexpr std::size_t kWaitingMax = 256;  // names

  NameLookup();
  ~NameLookup();  // does not wait for names that are being asked for
  void look_up(const std::string& host, LookedUp done);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace berth::agents
