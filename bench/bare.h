// What a backend is held against: the same program by fork and exec, and by the runtime with the same bundle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agents/kernel/backend.h"

namespace berth::bench {

// Runs `argv` `count` times, `parallel` at a time. Seconds.
double fork_and_exec(const std::vector<std::vector<std::string>>& argv, std::uint64_t parallel);
// One child: what it says on stdout; `started` is CLOCK_REALTIME in ns just before the fork.
std::string say(const std::vector<std::string>& argv, std::int64_t& started);

// A bundle as the oci backend makes it, but for the overlay: FOLDER/config.json. The runtime's arguments to
// run it.
class Bundle {
 public:
  // `rootfs` and its parents below `folder` are made passable to the kernels' users.
  Bundle(const std::string& folder, const std::string& rootfs, const agents::KernelSpec& spec);
  std::vector<std::string> run_command(std::uint64_t number) const;

 private:
  std::string folder_;
};

}  // namespace berth::bench
