// Runs skopeo, umoci and the like to their end. For threads that may block.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace berth::agents {

struct ToolResult {
  bool ended = false;  // false: the tool could not be started, or was cancelled
  int exit_code = -1;
  std::string output;  // stdout; at most 1 MiB
  std::string errors;  // stderr; the first 64 KiB
};

// Uses posix_spawn: the caller has threads. Calls `tick` about five times a second. `cancel` kills the tool's
// process group.
ToolResult run_tool(const std::vector<std::string>& words, const std::atomic<bool>& cancel,
                    const std::function<void()>& tick);

}  // namespace berth::agents
