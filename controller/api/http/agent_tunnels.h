// AgentTunnels: the tunnels of this API server to agents, one connection per agent, on one strand. No thread
// waits for an agent.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "controller/api/http/io_threads.h"
#include "events/codec/signing.h"
#include "events/tunnel/client.h"

namespace berth::controller {

class AgentTunnels {
 public:
  using Strand = tunnel::Client::Strand;

  // `io` outlives it; null: one thread of its own.
  explicit AgentTunnels(tunnel::Limits limits = {}, IoThreads* io = nullptr);
  ~AgentTunnels();
  AgentTunnels(const AgentTunnels&) = delete;
  AgentTunnels& operator=(const AgentTunnels&) = delete;

  // Thread-safe, does not block. `agent`: the agent's signer (writer "agent:NAME"); `address`: as the agent
  // announces it. A new address or key makes a new connection; the streams of the old one are told
  // that it is lost.
  // Handlers run on this object's strand, and streams go before it does. Codes: those of
  // tunnel::Client::open().
  [[nodiscard]] std::shared_ptr<tunnel::Stream> open(const Signer& agent, const std::string& address,
                                                     tunnel::Question question,
                                                     tunnel::Stream::Answered answered);
  // From its return on no handler is called. Idempotent, not from a handler.
  void stop();

  // For timers beside the streams.
  const Strand& strand() const { return strand_; }

 private:
  struct Tunnel {
    std::string address;
    std::string key;
    std::shared_ptr<tunnel::Client> client;
  };
  std::shared_ptr<tunnel::Client> client_of(const Signer& agent, const std::string& address);

  const tunnel::Limits limits_;
  const std::unique_ptr<IoThreads> own_;
  IoThreads& io_;
  const Strand strand_;
  std::mutex mutex_;
  std::map<std::string, Tunnel> tunnels_;  // guarded; by writer
  bool stopping_ = false;                  // guarded
};

}  // namespace berth::controller
