// berth-bench why: how long the answer to "why does it wait" takes, and how soon all reasons are right after
// a change.
//
// The answer is the API's, by the code that ships (controller/answers/answers.h) over a folded state. Until
// commit ad19239 the benchmark measured another explanation, over the scheduler's model alone: `query_p99_ms`
// of reports before and after that are not to be compared.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

// Exit code. The last line of stdout is the report.
int run_why(const std::vector<std::string>& args);

}  // namespace berth::bench
