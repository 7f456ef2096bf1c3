// Lengths of the lease that an acknowledged beat gives an agent's requeueable kernels (P24). The agent asks
// for a length as it joins, the log keeps it, each ack grants it, and the leader waits it out before it takes
// the agent for lost. Each side counts from a moment of its own clock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "events/base/clock.h"

namespace berth {

inline constexpr Duration kLease = 5 * kSecond;       // of an agent that asks for none: the shortest
inline constexpr Duration kLeaseUsual = 2 * kMinute;  // longer than an agent takes to start again
inline constexpr Duration kLeaseMax = 24 * kHour;

// The lease that a join or an ack of `milliseconds` stands for; 0: none was asked for.
constexpr Duration lease_of(std::int64_t milliseconds) {
  const std::int64_t most = kLeaseMax / kMillisecond;
  return std::max(kLease, std::clamp<std::int64_t>(milliseconds, 0, most) * kMillisecond);
}

}  // namespace berth
