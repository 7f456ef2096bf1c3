// `berth session run --attach`: what a session's first kernel writes, until the session has ended.
#pragma once

#include "ops/cli/command/wait.h"

namespace berth::cli {

// Prints the output of each attempt from its first byte on. The ended session; as wait_until() else.
Outcome<boost::json::value> attach(Shell& shell, Api& api, const std::string& id, Deadline deadline,
                                   std::int64_t position);

}  // namespace berth::cli
