// KernelEgress: the way out of one kernel, from the kernel's start to its end: a channel to its helper, which
// is opened again when it is lost, and the connections that have come through it.
// Threads: the one that runs the io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "agents/egress/proxy_connection.h"
#include "agents/kernel/inside/channel.h"
#include "agents/services/descriptor_watch.h"

namespace berth::agents {

class KernelEgress : public std::enable_shared_from_this<KernelEgress> {
 public:
  // What all kernels of an agent share; it outlives them.
  struct Shared {
    boost::asio::io_context& io;
    const EgressLimits limits;
    const LookUp look_up;
    const AddressRule may_dial;
    const std::function<void(const std::string&)> warn;
    std::shared_ptr<const AllowList> allowed;
    EgressCounts counts;
  };

  KernelEgress(Shared& shared, std::string name, std::string door, std::uint16_t port);
  void open();
  // Ends all connections, and is not opened again.
  void close();

 private:
  void take();
  void admit(Descriptor program);
  void lost(const Error& why);

  Shared& shared_;
  const std::string name_;  // of the kernel, for people
  const std::string door_;
  const std::uint16_t port_;
  boost::asio::steady_timer again_;
  Duration pause_;
  bool told_ = false;
  bool closed_ = false;
  std::optional<Channel> channel_;
  std::optional<DescriptorWatch> watch_;
  std::set<std::shared_ptr<ProxyConnection>> connections_;
};

}  // namespace berth::agents
