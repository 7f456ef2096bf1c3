// AgentClient: asks agents for pages of a kernel's output, through their tunnels
// (agents/services/log_route.h). No thread waits for an agent: a stopped one costs its own askers the
// deadline, and nobody else anything.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "controller/api/http/agent_tunnels.h"
#include "events/base/clock.h"
#include "events/base/result.h"
#include "events/codec/signing.h"

namespace berth::controller {

struct AgentLogQuery {
  std::string agent;
  std::string address;  // "127.0.0.1:7411", as announced by the agent
  KernelId kernel;
  std::uint32_t attempt = 0;
  std::int64_t offset = 0;  // negative: from the end
  std::uint32_t limit = 0;  // bytes, at most 1 MiB
};

struct AgentLogPage {
  std::uint64_t offset = 0;  // of the first byte
  std::uint64_t next = 0;    // offset to go on from
  bool end = false;          // the kernel has ended, and nothing follows
  std::string bytes;
};

struct AgentClientLimits {
  Duration patience = 2 * kSecond;          // for a whole question
  std::size_t in_flight_per_agent_max = 8;  // questions to one agent at a time
};

class AgentClient {
 public:
  using Done = std::function<void(Result<AgentLogPage>)>;

  // `tunnels` outlives it.
  explicit AgentClient(AgentTunnels& tunnels, AgentClientLimits limits = {});

  // Thread-safe, never blocks. `signer`: the agent's (writer "agent:NAME"). `done` is called once, on the
  // tunnels' strand; once they stop not at all. Codes: agent-unreachable, agent-timeout, agent-busy (too many
  // in flight), agent-answer-invalid, and the agent's own, e.g. unknown-kernel.
  void fetch_log(AgentLogQuery query, Signer signer, Done done);

 private:
  struct InFlight;  // questions of each agent

  AgentTunnels& tunnels_;
  const AgentClientLimits limits_;
  std::shared_ptr<InFlight> in_flight_;
};

}  // namespace berth::controller
