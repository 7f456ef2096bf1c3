// berth-bench past: how long a moment of the past takes, what keeping it costs.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

// Exit code. The last line of stdout is the report.
int run_past(const std::vector<std::string>& args);

}  // namespace berth::bench
