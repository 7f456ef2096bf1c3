// Text that people give and others read on one line: names for people, reasons, labels.
#pragma once

#include <string_view>

namespace berth {

// Whether the UTF-8 text has what is no character on a line, or changes how others are shown: ASCII and
// Latin-1 control characters, line and paragraph separators, bidirectional embeddings, overrides and
// isolates.
bool has_control_character(std::string_view utf8);

}  // namespace berth
