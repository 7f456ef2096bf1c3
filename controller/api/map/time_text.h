// Times and durations as text, both ways. Pure; no clock, no locale, no time zone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "events/base/clock.h"
#include "events/base/result.h"
#include "events/base/time/rfc3339.h"

namespace berth::controller::api {

// Always three decimals: "2026-01-01T00:00:00.000Z".
std::string format_milliseconds(Timestamp time);

// In refusals that compare times: the reader has to see which clock said what.
std::string cluster_says(Timestamp now);  // "the cluster's time is 2026-01-01T00:00:00Z"
std::string server_says(Timestamp now);   // "this server's clock says 2026-01-01T00:00:00Z"
inline constexpr const char* kCheckClocks = "check the clocks of both machines (timedatectl)";

// From milliseconds: "300s", or "1500ms" if it is no whole number of seconds.
std::string format_duration_ms(std::int64_t milliseconds);

// To milliseconds, at most ten years: "90s", "1500ms", "5m", "1h", "2d", or a plain number of seconds. Code:
// invalid-value.
Result<std::int64_t> parse_duration_ms(std::string_view text);

}  // namespace berth::controller::api
