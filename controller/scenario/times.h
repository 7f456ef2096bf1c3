// Times as a scenario file writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "events/base/clock.h"

namespace berth::placement {

// "2026-01-01T00:00:00Z", with an offset instead of Z, or a fraction of a second; nullopt for anything else,
// and for days that do not exist. Years from 1900 to 2200.
std::optional<Timestamp> parse_time(std::string_view text);

// "2026-01-01T00:00:00.5Z"
std::string time_text(Timestamp time);

}  // namespace berth::placement
