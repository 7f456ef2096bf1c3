// The error of what builds before 0.1.0 wrote. No release wrote such bytes, so no build reads them.
#pragma once

#include <string>

#include "events/base/result.h"

namespace berth {

inline constexpr Code kMadeBefore = "made-before-0.1.0";
inline bool is_made_before(const Error& error) { return error.code == kMadeBefore; }

// `what`: "this log", or a file.
inline Error made_before(const std::string& what) {
  return make_error(kMadeBefore,
                    what + " was written by a build before Berth 0.1.0, which this build does not read",
                    "begin with an empty data folder and an empty log: move the old ones aside");
}

}  // namespace berth
