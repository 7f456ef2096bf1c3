// Whether bytes are text.
#pragma once

#include <string>
#include <string_view>

namespace berth {

// Well-formed UTF-8 (Unicode 15, table 3-7): no overlong form, no surrogate, nothing beyond U+10FFFF.
bool is_utf8(std::string_view bytes);

// The bytes as text for people: U+FFFD in place of each byte that is no part of well-formed UTF-8.
std::string shown_as_utf8(std::string_view bytes);

}  // namespace berth
