// Fair share: past usage becomes a factor between 0 and 1. Sessions of an owner with a higher factor come
// sooner.
//
//   decayed    = sum over the days of the lookback of  used * 2^(-age in days / half-life)
//   normalised = mean over slots, by weight, of  decayed / (capacity * lookback * 86400)
//   factor     = 2^(-normalised / weight), the exponent no more than 10
//
// All in integers, since powers of two differ between machines in floating point. Errors (every step rounds
// down): powers of two are right within 2^-56, decayed usage within a micro-unit second a day, the mean
// within 2^-46; a factor moves by no more than 0.7 / weight times the error of its mean.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/placement/order/usage_slices.h"

namespace berth::placement {

struct Model;
struct Group;

// Fixed point: 1.0 is kOneFactor (62 bits after the point).
using Factor = std::uint64_t;
inline constexpr int kFactorBits = 62;
inline constexpr Factor kOneFactor = 1ull << kFactorBits;
// Fixed point: 1.0 is kOneExponent (48 bits after the point).
using Exponent = std::uint64_t;
inline constexpr int kExponentBits = 48;
inline constexpr Exponent kOneExponent = 1ull << kExponentBits;
inline constexpr Exponent kExponentMax = 10 * kOneExponent;

// 2^-x.
Factor exp2_negative(Exponent x);
// 2^-(days / half_life). REQUIRES: days >= 0, half_life > 0.
Factor decay(std::int64_t days, std::int64_t half_life_days);
// The part of the usage that counts today, by slot. Days outside the lookback and future days count nothing.
std::map<SlotId, SlotSeconds> decayed_usage(const UsageByDay& usage, std::int32_t today,
                                            const FairShareSettings& settings);

// One slot of the mean.
struct SlotShare {
  SlotSeconds decayed = 0;
  Amount capacity = 0;  // 0: the slot is left out
  Amount weight = kUnit;
};
Exponent normalised(std::span<const SlotShare> slots, std::int32_t lookback_days);
// REQUIRES: weight > 0 (micro-units).
Factor fair_factor(Exponent normalised, Amount weight);

enum class ShareScope : std::uint8_t { kDomain, kProject, kUser };

// Past usage and weight of a domain, project or user in a group. One without a row has factor 0 and comes
// behind all that have one (FS2).
struct FairShareRow {
  ShareScope scope = ShareScope::kUser;
  std::string id;
  Amount weight = kUnit;
  UsageByDay usage;
};
struct FairFactor {
  ShareScope scope = ShareScope::kUser;
  std::string id;
  Factor factor = 0;
};

// The factors of all rows against the present capacity of the group's agents that take sessions.
std::vector<FairFactor> fair_factors(const Model& model, const Group& group,
                                     std::span<const FairShareRow> rows, std::int32_t today,
                                     const FairShareSettings& settings);

}  // namespace berth::placement
