// Where the programs of this machine that containers need are, in the folders of the system, whatever PATH
// says.
#pragma once

#include <string>

namespace berth::agents {

// The absolute path of the program `name`, or "". A name with a slash is the path itself, where it can be
// run.
std::string find_program(const std::string& name);

// The container runtime: `asked`, a name or path; empty: runc, and crun where there is no runc. "": not
// there.
std::string find_runtime(const std::string& asked);

}  // namespace berth::agents
