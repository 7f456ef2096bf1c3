// The generation of a writer's key (P1): 1, 2, ... Each enrolment takes the next or a later one.
#pragma once

#include <cstdint>

namespace berth {

// Every generation is below it, so that there is always a next one that the type can hold.
inline constexpr std::uint32_t kGenerationEnd = 1'000'000'000;

}  // namespace berth
