#include "controller/placement/order/fair_share.h"

#include <algorithm>

#include "controller/placement/model/catalog.h"
#include "controller/placement/model/model.h"
#include "controller/placement/order/drf.h"

namespace berth::placement {

namespace {

using Wide = unsigned __int128;

constexpr Wide kLargestUsage = Wide{1} << 100;  // more counts as that much, so that no sum overflows
constexpr Amount kLargestWeight = Amount{1} << 40;

// value * factor, rounded down. REQUIRES: value < 2^126.
Wide times(Wide value, Factor factor) {
  const Wide low = value & (kOneFactor - 1);
  return (value >> kFactorBits) * factor + ((low * factor) >> kFactorBits);
}

// a / b with 48 bits after the point, rounded down, at most 2^30. REQUIRES: b < 2^100.
Wide ratio(Wide a, Wide b) {
  Wide quotient = a / b;
  if (quotient >= Wide{1} << 30) return Wide{1} << (30 + kExponentBits);
  Wide rest = a % b;
  for (int bit = 0; bit < kExponentBits; ++bit) {
    rest <<= 1;
    quotient <<= 1;
    if (rest < b) continue;
    rest -= b;
    quotient |= 1;
  }
  return quotient;
}

// 2^-f for f in [0, 1) with 62 bits: e^-y with y = f ln 2, by its series, whose terms fall below the last bit
// after 20.
Factor exp2_of_fraction(Factor f) {
  constexpr Factor kLn2 = 3196577161300663915ull;  // ln 2 * 2^62, rounded
  const auto y = static_cast<Factor>((Wide{f} * kLn2) >> kFactorBits);
  Factor even = kOneFactor;  // the terms that are added, and those that are taken away
  Factor odd = 0;
  Wide term = kOneFactor;
  for (unsigned n = 1; term != 0; ++n) {
    term = ((term * y) >> kFactorBits) / n;
    (n % 2 == 0 ? even : odd) += static_cast<Factor>(term);
  }
  return even - odd;
}

Factor shift_down(Factor factor, std::uint64_t halvings) {
  return halvings > kFactorBits ? 0 : factor >> halvings;
}

Amount weight_of(std::string_view slot, const FairShareSettings& settings) {
  for (const auto& [name, weight] : settings.slot_weights) {
    if (slot == name || slot.starts_with(name + ".")) return weight;
  }
  return kUnit;
}

// The slot `disk` is part of the mean only where a weight or the slot priority names it.
bool counts(const Model& model, const Group& group, const FairShareSettings& settings, SlotId slot) {
  return is_rated(model, group.policy, slot) ||
         std::any_of(settings.slot_weights.begin(), settings.slot_weights.end(),
                     [&](const auto& entry) { return entry.first == model.slots[slot].name; });
}

}  // namespace

Factor exp2_negative(Exponent x) {
  const Factor fraction = (x & (kOneExponent - 1)) << (kFactorBits - kExponentBits);
  return shift_down(exp2_of_fraction(fraction), x >> kExponentBits);
}

Factor decay(std::int64_t days, std::int64_t half_life_days) {
  const auto rest = static_cast<Wide>(days % half_life_days) << kFactorBits;
  const auto fraction = static_cast<Factor>(rest / static_cast<Wide>(half_life_days));
  return shift_down(exp2_of_fraction(fraction), static_cast<std::uint64_t>(days / half_life_days));
}

namespace {

// By age in days; worked out once for all rows.
std::vector<Factor> decays(const FairShareSettings& settings) {
  std::vector<Factor> factors;
  factors.reserve(static_cast<std::size_t>(std::max(settings.lookback_days, 0)));
  for (std::int32_t age = 0; age < settings.lookback_days; ++age)
    factors.push_back(decay(age, settings.half_life_days));
  return factors;
}

std::map<SlotId, SlotSeconds> decayed_by(const UsageByDay& usage, std::int32_t today,
                                         std::span<const Factor> factors) {
  std::map<SlotId, SlotSeconds> result;
  for (const auto& [day, slots] : usage) {
    const std::int64_t age = static_cast<std::int64_t>(today) - day;
    if (age < 0 || static_cast<std::size_t>(age) >= factors.size()) continue;
    const Factor factor = factors[static_cast<std::size_t>(age)];
    for (const auto& [slot, used] : slots) result[slot] += times(std::min(used, kLargestUsage), factor);
  }
  return result;
}

}  // namespace

std::map<SlotId, SlotSeconds> decayed_usage(const UsageByDay& usage, std::int32_t today,
                                            const FairShareSettings& settings) {
  return decayed_by(usage, today, decays(settings));
}

Exponent normalised(std::span<const SlotShare> slots, std::int32_t lookback_days) {
  const Wide seconds = static_cast<Wide>(lookback_days) * 86'400;
  Wide sum = 0;
  Wide weights = 0;
  for (const SlotShare& slot : slots) {
    if (slot.capacity <= 0 || slot.weight <= 0) continue;
    const auto weight = static_cast<Wide>(std::min(slot.weight, kLargestWeight));
    sum += weight * ratio(slot.decayed, static_cast<Wide>(slot.capacity) * seconds);
    weights += weight;
  }
  if (weights == 0) return 0;
  return static_cast<Exponent>(std::min<Wide>(sum / weights, ~Exponent{0}));
}

Factor fair_factor(Exponent normalised, Amount weight) {
  const Wide exponent = static_cast<Wide>(normalised) * kUnit / static_cast<Wide>(weight);
  return exp2_negative(static_cast<Exponent>(std::min<Wide>(exponent, kExponentMax)));
}

std::vector<FairFactor> fair_factors(const Model& model, const Group& group,
                                     std::span<const FairShareRow> rows, std::int32_t today,
                                     const FairShareSettings& settings) {
  const std::vector<Amount> capacity = capacity_of(model, group);
  const std::vector<Factor> by_age = decays(settings);
  std::vector<FairFactor> factors;
  for (const FairShareRow& row : rows) {
    const std::map<SlotId, SlotSeconds> decayed = decayed_by(row.usage, today, by_age);
    std::vector<SlotShare> shares;
    for (SlotId slot = 0; slot < model.slots.size(); ++slot) {
      if (!counts(model, group, settings, slot)) continue;
      const auto used = decayed.find(slot);
      shares.push_back({used == decayed.end() ? 0 : used->second, capacity[slot],
                        weight_of(model.slots[slot].name, settings)});
    }
    factors.push_back(
        {row.scope, row.id, fair_factor(normalised(shares, settings.lookback_days), row.weight)});
  }
  return factors;
}

}  // namespace berth::placement
