// `berth session run` and `attach`: what a session's first kernel writes, until the session has ended.
#pragma once

#include <cstdint>

#include "ops/cli/command/wait.h"

namespace berth::cli {

// Prints the output of each attempt from its first byte on. The ended session; as wait_until() else.
Outcome<boost::json::value> attach(Shell& shell, Api& api, const std::string& id, Deadline deadline,
                                   std::int64_t position);

// Behind that output: how the session ended, or how to come back to it. Pure.
std::string parting_words(const boost::json::value& session);

}  // namespace berth::cli
