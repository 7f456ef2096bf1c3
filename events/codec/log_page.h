// A page of a kernel's output between agent and API server, as both sides name it
// (agents/services/log_route.h). Pure.
#pragma once

#include <cstdint>

namespace berth {

inline constexpr std::uint32_t kLogPageBytesMax = 1u << 20;
inline constexpr char kLogNextHeader[] = "berth-next";    // offset to go on from
inline constexpr char kLogEndedHeader[] = "berth-ended";  // "true": the kernel has ended, and nothing follows

}  // namespace berth
