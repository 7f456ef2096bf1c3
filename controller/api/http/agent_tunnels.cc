#include "controller/api/http/agent_tunnels.h"

namespace berth::controller {

AgentTunnels::AgentTunnels(tunnel::Limits limits, IoThreads* io)
    : limits_(limits),
      own_(io == nullptr ? std::make_unique<IoThreads>(1) : nullptr),
      io_(io == nullptr ? *own_ : *io),
      strand_(io_.context().get_executor()) {}

AgentTunnels::~AgentTunnels() { stop(); }

std::shared_ptr<tunnel::Stream> AgentTunnels::open(const Signer& agent, const std::string& address,
                                                   tunnel::Question question,
                                                   tunnel::Stream::Answered answered) {
  return client_of(agent, address)->open(std::move(question), std::move(answered));
}

std::shared_ptr<tunnel::Client> AgentTunnels::client_of(const Signer& agent, const std::string& address) {
  const std::lock_guard lock(mutex_);
  Tunnel& tunnel = tunnels_[agent.writer()];
  if (tunnel.client && tunnel.address == address && tunnel.key == agent.key()) return tunnel.client;
  if (tunnel.client)
    tunnel.client->cut(make_error(tunnel::kLost, "the agent has another address now", "ask again"));
  tunnel = {address, agent.key(), std::make_shared<tunnel::Client>(strand_, agent, address, limits_)};
  if (stopping_) tunnel.client->stop();
  return tunnel.client;
}

void AgentTunnels::stop() {
  std::map<std::string, Tunnel> tunnels;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    tunnels = tunnels_;
  }
  for (const auto& [agent, tunnel] : tunnels) tunnel.client->stop();
  if (own_) own_->stop();
  io_.run_ready();  // closes the connections, where no thread does
}

}  // namespace berth::controller
