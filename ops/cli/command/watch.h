// --watch: shows a reply again whenever the journal has moved.
#pragma once

#include <functional>
#include <string>

#include "ops/cli/shell.h"

namespace berth::cli {

// Gets `target` and prints `show` of the reply, and again whenever the text differs, until Ctrl-C (exit 0).
// `member`: of every such reply; without it the reply is none of Berth. On a terminal the screen is redrawn;
// elsewhere each new text follows the last one, after an empty line in tables.
Outcome<int> watch(Shell& shell, const std::string& target, const char* member,
                   const std::function<std::string(const ApiReply&)>& show);

// Shows once; with `again` as watch() does.
Outcome<int> show_or_watch(Shell& shell, bool again, const std::string& target, const char* member,
                           const std::function<std::string(const ApiReply&)>& show);

// Shows all pages of a list of the API; with `again` as watch() does, the first 1,000 items.
Outcome<int> show_list(Shell& shell, const std::string& target, const char* key, const Listing& listing,
                       bool again);

}  // namespace berth::cli
