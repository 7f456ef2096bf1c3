// The lease that an acknowledged beat gives an agent (P24): the leader counts it, and so does the agent.
#pragma once

#include "events/base/clock.h"

namespace berth {

inline constexpr Duration kLease = 5 * kSecond;

}  // namespace berth
