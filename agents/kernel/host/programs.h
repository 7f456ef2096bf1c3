// Where the programs of this machine that containers need are, in the folders of the system, whatever PATH
// says.
#pragma once

#include <string>

#include "events/base/result.h"

namespace berth::agents {

// The absolute path of the program `name`; "" where this machine has no such program. A name with a slash is
// a path, from this process' folder.
std::string find_program(const std::string& name);

// The absolute path of the container runtime `asked`, a name or path; where nothing is asked for, that of
// runc, or of crun on a machine without runc. "" where this machine has no such program.
std::string find_runtime(const std::string& asked);
// The path that find_runtime() finds, or, for people, the reason why this machine has no such runtime. Code:
// runtime-missing.
Result<std::string> runtime_for(const std::string& asked);

}  // namespace berth::agents
