// --watch: shows something again whenever the journal has moved.
#pragma once

#include <functional>
#include <string>

#include "ops/cli/shell.h"

namespace berth::cli {

// Gets `target`, prints what `show` makes of the reply, and again whenever that text differs, until Ctrl-C
// (exit 0). On a terminal the screen is redrawn; elsewhere each new text follows the last one, after an empty
// line in tables.
Outcome<int> watch(Shell& shell, const std::string& target,
                   const std::function<std::string(const ApiReply&)>& show);

// Once, or with --watch.
Outcome<int> show_or_watch(Shell& shell, bool again, const std::string& target,
                           const std::function<std::string(const ApiReply&)>& show);

// A list of the API, all its pages; with `again` as watch() does it, of its first 1,000.
Outcome<int> show_list(Shell& shell, const std::string& target, const char* key, const Listing& listing,
                       bool again);

}  // namespace berth::cli
