// Text that people give and others read on one line: names for people, reasons, labels.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth {

// Whether the UTF-8 text has what is no character on a line, or changes how others are shown: ASCII and
// Latin-1 control characters, line and paragraph separators, bidirectional embeddings, overrides and
// isolates.
bool has_control_character(std::string_view utf8);

// What a program said, as one line of at most `max` bytes and "...": such characters, and bytes that are no
// UTF-8, become one space.
std::string plain_line(std::string_view bytes, std::size_t max);

}  // namespace berth
