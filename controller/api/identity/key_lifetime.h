// How long a new key pair is good for.
#pragma once

#include "controller/api/map/json_reader.h"
#include "events/base/clock.h"

namespace berth::controller::api {

inline constexpr std::int64_t kKeyLifetimeMaxMs = 3650 * kDay / kMillisecond;

inline void check_key_lifetime(ObjectReader& reader, std::int64_t expires_in_ms) {
  if (expires_in_ms <= 0 || expires_in_ms > kKeyLifetimeMaxMs)
    reader.fail("invalid-value", "expires_in", "must be more than 0 and at most ten years");
}

}  // namespace berth::controller::api
