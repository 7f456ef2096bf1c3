// What a rest of a device is worth: how well the fractions that come can fill it, given how many of each size
// come.
//
// The covering problem "as few devices as possible for the mix's fractions" has a configuration LP (Gilmore,
// Gomory, Operations Research 9, 1961). Its dual gives each size a price such that no filling of one device
// is worth more than a device. A rest is worth its best filling at those prices: 530 is worth half a device
// where 470s abound, 190 nothing where few are that small. Prices are approached by multiplicative steps: a
// size that the best filling uses more often than it comes gets cheaper, the others dearer. Integers only, so
// the same on every machine.
#pragma once

#include <array>
#include <cstdint>

#include "controller/placement/fragmentation/class_mix.h"

namespace berth::placement::fragmentation {

inline constexpr std::int64_t kRestStep = 10;  // milli; sizes are rounded up to it, rests down
inline constexpr std::size_t kRests = kWholeGpu / kRestStep + 1;

// By rest / kRestStep, in milli of a GPU: 0 to 1000, never falling. All 0 where the mix has no fractions.
std::array<std::int64_t, kRests> fill_values(const ClassMix& mix);

}  // namespace berth::placement::fragmentation
