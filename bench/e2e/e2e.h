// berth-bench e2e: from a request appended to its placement read back from the journal and folded.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

// Exit code. The last line of stdout is the report.
int run_e2e(const std::vector<std::string>& args);

}  // namespace berth::bench
