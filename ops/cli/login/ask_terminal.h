// A line that a person types, from the terminal whatever standard input is.
#pragma once

#include <string>

#include "events/base/result.h"

namespace berth::cli {

// Without its newline. `shown`: false for passwords; the terminal shows what is typed again afterwards, also
// when a signal ends the program. One at a time. Code: no-terminal.
Result<std::string> ask_terminal(const std::string& prompt, bool shown);

}  // namespace berth::cli
