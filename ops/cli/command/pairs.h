// KEY=VALUE as people type it.
#pragma once

#include <string>

#include "ops/cli/exit_code.h"

namespace berth::cli {

struct Pair {
  std::string key, value;
};

// Failure: usage, naming the option and its form.
Outcome<Pair> split_pair(const std::string& text, const char* option, const char* example);

}  // namespace berth::cli
