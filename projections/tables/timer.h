// Timer: a deadline of a session, derived from its row. The leader's tick turns a timer that is due into an
// event.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>

#include "projections/tables/session_table.h"

namespace berth::projections {

enum class TimerKind : std::uint8_t { kPendingTimeout = 2, kBatchTimeout = 3 };

struct Timer {
  Timestamp due = 0;  // header time, ns
  TimerKind kind = TimerKind::kPendingTimeout;
  SessionId session;
  auto operator<=>(const Timer&) const = default;
};

// When a waiting session may start: its own start time, or the next try after a failed start; 0: at once.
Timestamp earliest_start(const SessionRow& session);

// The timer that a session row has now. (Nothing is decided when a start time is reached, so it has none.)
std::optional<Timer> timer_of(const SessionRow& session);

using Timers = std::set<Timer>;

}  // namespace berth::projections
