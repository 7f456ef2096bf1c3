// Times that others send, in milliseconds.
#pragma once

#include <algorithm>
#include <cstdint>

#include "events/base/clock.h"

namespace berth {

// As a Timestamp. A time out of any reason is held within a quarter of what a Timestamp can be, so that sums
// with it do not overflow.
inline Timestamp from_wire_ms(std::int64_t ms) {
  constexpr std::int64_t kMost = INT64_MAX / kMillisecond / 4;
  return std::clamp(ms, -kMost, kMost) * kMillisecond;
}

}  // namespace berth
