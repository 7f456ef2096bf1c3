// Moments as RFC 3339 text in UTC. Pure, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/base/clock.h"

namespace berth {

// "2026-01-01T00:00:00Z", with a fraction if it is not zero. For 1970 to 2262 (the range of Timestamp).
std::string format_time(Timestamp time);

// Whole seconds: "2026-01-01T00:00:00Z".
std::string format_second(Timestamp time);

// With "Z" or an offset; up to 9 decimals. nullopt for all else, and for dates that do not exist.
std::optional<Timestamp> parse_time(std::string_view text);

}  // namespace berth
