// Time is an argument: pure code is given a Timestamp; only edges own a Clock.
#pragma once

#include <cstdint>

namespace berth {

// Nanoseconds since 1970-01-01T00:00:00Z. A plain integer is ordered, hashed and stored the same everywhere.
using Timestamp = std::int64_t;
// Nanoseconds.
using Duration = std::int64_t;

inline constexpr Duration kMillisecond = 1'000'000;
inline constexpr Duration kSecond = 1'000 * kMillisecond;
inline constexpr Duration kMinute = 60 * kSecond;
inline constexpr Duration kHour = 60 * kMinute;
inline constexpr Duration kDay = 24 * kHour;

// An instant on two of the machine's clocks. The pair shows a wall clock that jumped (P16); leases run on
// boottime (P24), which goes on while the machine sleeps.
struct Instant {
  Timestamp wall = 0;      // CLOCK_REALTIME
  Timestamp boottime = 0;  // CLOCK_BOOTTIME
};

// Thread-safe. Implementations: SystemClock (runtime), the simulator's virtual clock.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
};

}  // namespace berth
