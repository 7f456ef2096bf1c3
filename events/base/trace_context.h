// W3C trace context: the header `traceparent`, which a request carries into its events.
#pragma once

#include <string_view>

namespace berth {

// 55 characters: version, trace id, parent id and flags as lower-case hex. What is longer or anything else
// names no trace.
bool is_traceparent(std::string_view text);

}  // namespace berth
