// MachineCheck: what a machine has of what an agent's containers need, line by line, for `berth agent check`.
//
// Nothing is asked of a server, and nothing stays: folders that a check needs are made below the data folder
// and removed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace berth::agents {

enum class CheckLevel : std::uint8_t {
  kOk,
  kLess,   // kernels start, and something is missing that people may ask for
  kFails,  // no kernel starts, or its limits do not hold
};

struct CheckLine {
  std::string name;   // "cgroup controllers"
  std::string found;  // "version 1: memory, cpu, pids"
  CheckLevel level = CheckLevel::kOk;
  std::string advice;  // what to do; empty where it is ok
};

// All but the start of a container. `data`: the agent's data folder, which need not be there yet; `runtime`:
// as BackendConfig's. Call it as root: others cannot try what it tries. Any thread; takes up to a second.
std::vector<CheckLine> check_machine(const std::string& data, const std::string& runtime);

// Starts a container as the agent does before it joins, in a data folder of its own beside `data`, and ends
// it. Call it before any library thread exists: it starts a launcher. Takes up to 45 s.
// `programs`: the folder of berth-launcher and berth-init; empty: that of this program.
CheckLine check_start(const std::string& data, const std::string& runtime, const std::string& programs);

}  // namespace berth::agents
