// berth-bench start, life: what a kernel costs by a backend, and without one.
#pragma once

#include <string>
#include <vector>

namespace berth::bench {

// Exit code. The last line of stdout is the report. Need root, runc and the image python:3.11 (life leaves
// OCI out without them).
int run_start(const std::vector<std::string>& args);
int run_life(const std::vector<std::string>& args);

}  // namespace berth::bench
