// berth-bench place: the decision engine alone, filling an empty cluster and in steady churn at 95 % full.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

// Exit code. The last line of stdout is the report.
int run_place(const std::vector<std::string>& args);

}  // namespace berth::bench
