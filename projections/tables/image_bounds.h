// Bounds of what is said about an image. Requests are checked against them at the edge and where they are
// decided.
#pragma once

#include <cstddef>

namespace berth::projections {

inline constexpr std::size_t kImageReferenceMax = 256;  // bytes, as the next two
inline constexpr std::size_t kBuildStepMax = 200;
inline constexpr std::size_t kBuildMessageMax = 1024;

}  // namespace berth::projections
