// JSON as the standard has it, with two things that the library does not say: where the text is wrong, and
// that a key is there twice (the later one would silently win).
#pragma once

#include <boost/json.hpp>

#include <string_view>

#include "events/base/result.h"

namespace berth::scheduler {

// Error: bad-scenario, with line and column.
Result<boost::json::value> read_strict_json(std::string_view text);

}  // namespace berth::scheduler
