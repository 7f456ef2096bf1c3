// Bounds of what one request may ask for. The API reads no more, and decide refuses more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "events/base/clock.h"

namespace berth::projections {

inline constexpr std::uint32_t kSessionsPerRequestMax = 100;
// Sessions that one request may select to be ended: their ids fit a record. Also in the net.
inline constexpr std::size_t kSelectedMax = 10'000;
inline constexpr std::size_t kEndsPerRequestMax = 500;       // as many as a record has room for
inline constexpr std::uint32_t kKernelsPerSessionMax = 256;  // also in the net: part of the rules
inline constexpr int kDependenciesMax = 64;
inline constexpr int kDesignatedMax = 64;
inline constexpr std::int32_t kJobPriorityMax = 1000;  // and its negative at least

// The largest time of a spec in ms: half of what nanoseconds can count, so that now + time overflows nothing.
// Also in the net: part of the rules.
inline constexpr std::int64_t kSpecTimeMaxMs = INT64_MAX / kMillisecond / 2;

}  // namespace berth::projections
