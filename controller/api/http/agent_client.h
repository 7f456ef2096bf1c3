// Asks an agent's services for pages of a kernel's output (events/schema/v1/service.proto). Blocking: for
// worker threads.
#pragma once

#include <cstdint>
#include <string>

#include "events/base/clock.h"
#include "events/base/random.h"
#include "events/base/result.h"
#include "events/codec/signing.h"

namespace berth::controller {

struct AgentLogQuery {
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

inline constexpr Duration kAgentPatience = 10 * kSecond;

// `signer`: the agent's (writer "agent:NAME"), derived from the cluster secret. `patience`: for the whole
// call. Codes: agent-unreachable, agent-answer-invalid, and the agent's own, e.g. unknown-kernel.
Result<AgentLogPage> fetch_log(const AgentLogQuery& query, const Signer& signer, const Clock& clock,
                               RandomSource& random, Duration patience = kAgentPatience);

}  // namespace berth::controller
