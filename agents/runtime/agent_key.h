// An agent's own key, as `berth agent enroll NAME` writes it: JSON {"cluster", "agent", "generation", "key"},
// readable by its owner alone. `agent` is the name, or the agent's object as the API gives it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "events/base/result.h"
#include "events/codec/signing.h"

namespace berth::agents {

struct AgentKey {
  Uuid cluster;
  std::string agent;
  std::uint32_t generation = 0;
  std::string key;  // 32 bytes

  Signer signer() const { return {cluster, "agent:" + agent, generation, key}; }
};

// Code key-file-invalid.
Result<AgentKey> parse_agent_key(std::string_view json);
// Codes: key-file-invalid, and those of read_private_file().
Result<AgentKey> read_agent_key(const std::string& path);

}  // namespace berth::agents
