// berth-bench why: how long the answer to "why does it wait" takes, and how soon all reasons are right after
// a change.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

// Exit code. The last line of stdout is the report.
int run_why(const std::vector<std::string>& args);

}  // namespace berth::bench
