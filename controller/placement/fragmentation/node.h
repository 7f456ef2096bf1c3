// A node with GPUs and what is asked of it, reduced to what fragmentation is about: CPU, GPUs, models; memory
// only limits.
//
// Units: CPU in thousandths of a core, GPU in thousandths of a device ("milli"), memory in MiB. Values only;
// pure; no thread rule.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace berth::placement::fragmentation {

inline constexpr std::int32_t kWholeGpu = 1000;
inline constexpr std::int32_t kMostGpus = 16;  // of one node
inline constexpr std::int32_t kMostModels = 64;

// What one pod asks for. A fraction is gpus = 1 with gpu_milli below a whole device: it lies on one device.
// Others take whole devices. `models` is a set of bits of allowed GPU models; 0: any.
struct Ask {
  std::int32_t cpu_milli = 0;
  std::int32_t gpus = 0;
  std::int32_t gpu_milli = 0;  // of each device
  std::uint64_t models = 0;
  std::int32_t memory_mib = 0;
  auto operator<=>(const Ask&) const = default;

  bool fraction() const { return gpus == 1 && gpu_milli < kWholeGpu; }
  std::int32_t total_milli() const { return gpus * gpu_milli; }
};

// What is free on a node. Devices keep their places.
struct Node {
  std::int32_t cpu_milli = 0;
  std::int32_t gpus = 0;
  std::uint64_t model = 0;  // one bit; 0 for a node without GPUs
  std::array<std::int32_t, kMostGpus> gpu_milli{};
  std::int32_t memory_mib = 0;

  std::int32_t free_milli() const {
    std::int32_t sum = 0;
    for (std::int32_t i = 0; i < gpus; ++i) sum += gpu_milli[static_cast<std::size_t>(i)];
    return sum;
  }
  std::int32_t devices_with(std::int32_t milli) const {
    std::int32_t count = 0;
    for (std::int32_t i = 0; i < gpus; ++i) count += gpu_milli[static_cast<std::size_t>(i)] >= milli;
    return count;
  }
};

inline bool fits(const Node& node, const Ask& ask) {
  if (ask.cpu_milli > node.cpu_milli || ask.memory_mib > node.memory_mib) return false;
  if (ask.gpus == 0) return true;
  return (ask.models == 0 || (ask.models & node.model) != 0) && node.devices_with(ask.gpu_milli) >= ask.gpus;
}

inline constexpr std::int32_t kNoDevice = -1;

// Takes what is asked: a fraction from `device`, whole devices from the first free ones. REQUIRES: fits().
inline void take(Node& node, const Ask& ask, std::int32_t device) {
  node.cpu_milli -= ask.cpu_milli;
  node.memory_mib -= ask.memory_mib;
  if (ask.fraction()) {
    node.gpu_milli[static_cast<std::size_t>(device)] -= ask.gpu_milli;
    return;
  }
  std::int32_t wanted = ask.gpus;
  for (std::int32_t i = 0; wanted > 0; ++i) {
    if (node.gpu_milli[static_cast<std::size_t>(i)] < ask.gpu_milli) continue;
    node.gpu_milli[static_cast<std::size_t>(i)] -= ask.gpu_milli;
    --wanted;
  }
}

}  // namespace berth::placement::fragmentation
