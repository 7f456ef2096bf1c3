// Places: where the kernels of one session go.
#pragma once

#include <vector>

#include "controller/placement/model/model.h"

namespace berth::placement {

// Both are indexed by kernel.
struct Places {
  std::vector<RequirementIndex> requirements;
  std::vector<KernelPlacement> placements;
};

}  // namespace berth::placement
