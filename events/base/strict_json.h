// The one reader of JSON that people write: request bodies, scenario files, settings. The reader adds two
// things to the library: an error has its line and column, and a duplicate key is an error (the later one
// would silently win). Pure; any thread.
#pragma once

#include <boost/json.hpp>

#include <string_view>

#include "events/base/result.h"

namespace berth {

inline constexpr std::size_t kJsonDepthMax = 32;  // of read_strict_json, unless the caller sets less

// Codes: malformed-json (also for a duplicate key), too-deep. The message completes a sentence of which the
// caller has the subject: "no JSON: incomplete JSON: line 3, column 7".
Result<boost::json::value> read_strict_json(std::string_view text, std::size_t depth_max = kJsonDepthMax);

}  // namespace berth
