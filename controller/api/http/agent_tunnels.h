// AgentTunnels: the tunnels of this API server to agents, one connection per agent, on one thread of its own.
// No thread waits for an agent.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "events/codec/signing.h"
#include "events/tunnel/client.h"

namespace berth::controller {

class AgentTunnels {
 public:
  explicit AgentTunnels(tunnel::Limits limits = {});
  ~AgentTunnels();
  AgentTunnels(const AgentTunnels&) = delete;
  AgentTunnels& operator=(const AgentTunnels&) = delete;

  // Thread-safe, does not block. `agent`: the agent's signer (writer "agent:NAME"); `address`: as the agent
  // announces it. A new address or key makes a new connection; the streams of the old one are told
  // that it is lost.
  // Handlers run on this object's thread, and streams go before it does. Codes: those of
  // tunnel::Client::open().
  [[nodiscard]] std::shared_ptr<tunnel::Stream> open(const Signer& agent, const std::string& address,
                                                     tunnel::Question question,
                                                     tunnel::Stream::Answered answered);
  // From its return on no handler is called. Idempotent, not from a handler.
  void stop();

  // The thread's, for timers beside the streams.
  boost::asio::io_context& io() { return io_; }

 private:
  struct Tunnel {
    std::string address;
    std::string key;
    std::shared_ptr<tunnel::Client> client;
  };
  std::shared_ptr<tunnel::Client> client_of(const Signer& agent, const std::string& address);

  const tunnel::Limits limits_;
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::mutex mutex_;
  std::map<std::string, Tunnel> tunnels_;  // guarded; by writer
  bool stopping_ = false;                  // guarded
  std::thread thread_;
};

}  // namespace berth::controller
