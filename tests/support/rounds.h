// How often a test of random worlds is repeated.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace berth::testing {

// `all`, or a fourth of that where BERTH_ROUNDS=fourth. ops/check asks so of the sanitizers' build, which
// makes each round ten times slower and finds most in few; the release build and ops/check --full make all.
[[nodiscard]] inline std::uint64_t rounds(std::uint64_t all) {
  const char* const asked = std::getenv("BERTH_ROUNDS");
  return asked != nullptr && std::string_view(asked) == "fourth" ? (all + 3) / 4 : all;
}

}  // namespace berth::testing
