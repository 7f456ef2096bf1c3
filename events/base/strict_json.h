// The one reader of JSON that people write: request bodies, scenario files, settings. The library does not
// say two things that this reader says: the line and column of an error, and that a key is there twice (the
// later one would silently win). Pure; any thread.
#pragma once

#include <boost/json.hpp>

#include <string_view>

#include "events/base/result.h"

namespace berth {

inline constexpr std::size_t kJsonDepthMax = 32;  // of read_strict_json, unless its caller wants less

// Codes: malformed-json (also for a key that is there twice), too-deep. The message is the rest of a sentence
// whose subject the caller knows: "no JSON: incomplete JSON: line 3, column 7".
Result<boost::json::value> read_strict_json(std::string_view text, std::size_t depth_max = kJsonDepthMax);

}  // namespace berth
