// berth-bench append: durable appends by the log, and by what is below it without the log.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

// Exit code. The last line of stdout is the report.
int run_append(const std::vector<std::string>& args);

}  // namespace berth::bench
