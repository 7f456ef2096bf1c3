// The inverse of to_hex (hash.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace berth {

// nullopt unless `text` is an even number of lower-case hex digits.
std::optional<std::string> from_hex(std::string_view text);

}  // namespace berth
