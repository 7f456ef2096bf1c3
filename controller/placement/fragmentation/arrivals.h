// The openb experiment's stream of pods (Weng et al., USENIX ATC'23, 6.2): the list in an order drawn by a
// seed, then pods drawn from it, uniformly and with replacement, until what they demand reaches 130 % of the
// GPUs; and what became of it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "controller/placement/fragmentation/packer.h"

namespace berth::placement::fragmentation {

inline constexpr std::array<std::int32_t, 6> kArrivedPercents = {80, 90, 100, 110, 120, 130};

// Places in `classes`, in order of arrival. `capacity`: GPU milli of all nodes.
std::vector<std::uint32_t> draw_arrivals(std::span<const std::uint32_t> list, std::span<const Ask> classes,
                                         std::int64_t capacity, std::uint64_t seed);

struct Drops {
  std::int64_t cpu_only = 0;
  std::int64_t fraction = 0;
  std::int64_t one = 0;  // a whole GPU
  std::int64_t several = 0;
  std::int64_t& of(const Ask& ask) {
    if (ask.gpus == 0) return cpu_only;
    if (ask.fraction()) return fraction;
    return ask.gpus == 1 ? one : several;
  }
};

struct Packed {
  std::array<std::int64_t, kArrivedPercents.size()> allocated{};  // GPU milli, when that much had arrived
  Drops drops;
};

std::int64_t gpu_capacity(std::span<const Node> nodes);

Packed pack(Packer& packer, std::span<const Ask> classes, std::span<const std::uint32_t> arrivals);

}  // namespace berth::placement::fragmentation
