#include "controller/api/http/agent_tunnels.h"

#include <boost/asio/post.hpp>

namespace berth::controller {

AgentTunnels::AgentTunnels(tunnel::Limits limits)
    : limits_(limits), work_(io_.get_executor()), thread_([this] { io_.run(); }) {}

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
  tunnel = {address, agent.key(), std::make_shared<tunnel::Client>(io_, agent, address, limits_)};
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
  work_.reset();
  if (thread_.joinable()) thread_.join();
}

}  // namespace berth::controller
