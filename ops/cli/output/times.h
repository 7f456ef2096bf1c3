// Times and durations as text. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "events/base/time/rfc3339.h"

namespace berth::cli {

// For people: "850ms", "12s", "3m20s", "2h05m", "4d11h".
std::string format_duration(Duration duration);
// "300s", "1500ms", "5m", "2h", "1d", "90" (seconds), "1.5s"; nullopt for anything else, also for negative
// ones.
std::optional<Duration> parse_duration(std::string_view text);

// How far the reader's clock is ahead of UTC at a moment; empty: not at all.
using UtcOffset = std::function<Duration(Timestamp)>;
// "14:03" or "14:03:11" of the reader's clock: the last one that is not after `now`; nullopt for all else.
std::optional<Timestamp> clock_moment(std::string_view text, Timestamp now, const UtcOffset& utc_offset);
// RFC 3339 of the API in the reader's zone, whole seconds: "2026-01-31 18:00:00+09:00", "... 09:00:00Z". What
// is no time stays as it is.
std::string local_time(const std::string& time, const UtcOffset& utc_offset);
// The time of day there, for lines of events: "12:34:56.789+09:00".
std::string local_clock(Timestamp at, const UtcOffset& utc_offset);

}  // namespace berth::cli
