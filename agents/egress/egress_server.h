// EgressServer: the way out of an agent's kernels (ADR 0073). There is no route out of a kernel: its helper
// passes connections out, this speaks HTTP's CONNECT with them and dials what the list allows, on a thread of
// its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agents/egress/proxy_connection.h"
#include "agents/kernel/backend.h"

namespace berth::agents {

// All calls from any thread, none of them waits but stop().
class EgressServer {
 public:
  // `warn`: called on the server's thread.
  EgressServer(EgressLimits limits, LookUp look_up, AddressRule may_dial,
               std::function<void(const std::string&)> warn);
  ~EgressServer();

  // Of connections that come from now on. Before the first call nothing is allowed.
  void allow(AllowList list);
  // The kernel runs: a way out through this door (KernelBackend::door()) is kept open until close(). Once
  // open, nothing is done.
  void open(const KernelKey& kernel, std::string door, std::uint16_t port);
  // The kernel has ended: so have its connections when this has been seen to.
  void close(const KernelKey& kernel);
  const EgressCounts& counts() const;
  // Ends all of them. Idempotent.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::agents
