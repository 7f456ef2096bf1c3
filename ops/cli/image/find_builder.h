// Which program makes images: a flag beats the configuration, which beats ops/images/build of the repository
// that this program was built in.
#pragma once

#include "ops/cli/shell.h"

namespace berth::cli {

// An absolute path. `given`: the flag's value, may be empty. Failures: usage (there is none).
Outcome<std::string> find_image_builder(Shell& shell, const std::string& given);

}  // namespace berth::cli
