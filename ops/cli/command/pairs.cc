#include "ops/cli/command/pairs.h"

namespace berth::cli {

Outcome<Pair> split_pair(const std::string& text, const char* option, const char* example) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return usage_failure(std::string(option) + " '" + text.substr(0, 60) + "' is not of the form " + example);
  return Pair{text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace berth::cli
