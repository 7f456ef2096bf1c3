// Times as a scenario file writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/base/clock.h"

namespace berth::placement {

// "2026-01-01T00:00:00Z"; an offset instead of Z and a fraction of a second may be given. Years from 1900 to
// 2200. nullopt for all else, and for days that do not exist.
std::optional<Timestamp> parse_time(std::string_view text);

// "2026-01-01T00:00:00.5Z"
std::string time_text(Timestamp time);

}  // namespace berth::placement
