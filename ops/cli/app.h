// One run of `berth`: from the words of the command line to an exit code.
#pragma once

#include <string>
#include <vector>

#include "ops/cli/shell.h"

namespace berth::cli {

// Runs `words`, without the program's name. Never throws; all output goes to the World's streams.
int run(World& world, const std::vector<std::string>& words);

// Completions of the last word of `words` (which may be empty) from the same command tree, best first.
std::vector<std::string> complete(World& world, const std::vector<std::string>& words);

// The closest of `known`, for "did you mean"; "" if none is close enough (edit distance up to a third of the
// word, a swap counts one).
std::string closest(const std::string& word, const std::vector<std::string>& known);

}  // namespace berth::cli
