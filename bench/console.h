// berth-bench console: the web console in Chromium, on a Berth whose kernels are none.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

// Becomes ops/console/measure of the tree that it is run in, which prints the report; answers only where
// there is none.
int run_console(const std::vector<std::string>& args);

}  // namespace berth::bench
