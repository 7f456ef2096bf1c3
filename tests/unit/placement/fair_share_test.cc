// The numbers of tests/BEHAVIOURS.md section 12: decay, the weighted mean, factors, and usage cut into slices
// and days.
#include <gtest/gtest.h>

#include "controller/placement/order/fair_share.h"

namespace berth::placement {
namespace {

constexpr std::int32_t kToday = 20'454;  // 2026-01-01
constexpr SlotId kCpu = 0;

UsageByDay used(std::initializer_list<std::pair<std::int32_t, std::uint64_t>> by_age) {
  UsageByDay usage;
  for (const auto& [age, seconds] : by_age) usage[kToday - age][kCpu] = SlotSeconds{seconds} * kUnit;
  return usage;
}

// In micro-units; the last digit may be one less than the exact value rounded down.
std::uint64_t counts_today(const UsageByDay& usage, std::int32_t half_life_days,
                           std::int32_t lookback_days = 28) {
  FairShareSettings settings;
  settings.half_life_days = half_life_days;
  settings.lookback_days = lookback_days;
  const auto decayed = decayed_usage(usage, kToday, settings);
  return decayed.contains(kCpu) ? static_cast<std::uint64_t>(decayed.at(kCpu)) : 0;
}

// 1.0 = 1'000'000'000, rounded to the nearest.
std::uint64_t billionths(std::uint64_t value, int bits) {
  const auto scaled = static_cast<unsigned __int128>(value) * 1'000'000'000 +
                      (static_cast<unsigned __int128>(1) << (bits - 1));
  return static_cast<std::uint64_t>(scaled >> bits);
}
std::uint64_t factor_of(Exponent normal, Amount weight = kUnit) {
  return billionths(fair_factor(normal, weight), kFactorBits);
}

TEST(FairShare, UsageLosesHalfOfItsWeightEachHalfLife) {
  EXPECT_EQ(counts_today(used({{0, 1000}}), 7), 1'000'000'000u);
  EXPECT_EQ(counts_today(used({{7, 1000}}), 7), 500'000'000u);
  EXPECT_EQ(counts_today(used({{14, 1000}}), 7), 250'000'000u);
  EXPECT_EQ(counts_today(used({{0, 1000}, {7, 1000}}), 7), 1'500'000'000u);
  EXPECT_EQ(counts_today(used({{7, 1000}}), 14), 707'106'781u);  // 1000 * 2^-0.5
}

TEST(FairShare, UsageCountsForTheDaysOfTheLookbackTodayIncluded) {
  EXPECT_GT(counts_today(used({{27, 1000}}), 7), 0u);
  EXPECT_EQ(counts_today(used({{28, 1000}}), 7), 0u);
  EXPECT_EQ(counts_today(used({{-1, 1000}}), 7), 0u) << "a day to come";
}

TEST(FairShare, PowersOfTwoAreRightToTheLastDigitShown) {
  // 2^-x * 10^9, from tables.
  const std::pair<Exponent, std::uint64_t> kTable[] = {{0, 1'000'000'000},
                                                       {kOneExponent / 4, 840'896'415},
                                                       {kOneExponent / 2, 707'106'781},
                                                       {kOneExponent, 500'000'000},
                                                       {kOneExponent * 3 / 2, 353'553'391},
                                                       {kOneExponent * 10, 976'563},
                                                       {kOneExponent / 10, 933'032'992},
                                                       {kOneExponent / 1'000'000, 999'999'307}};
  for (const auto& [x, expected] : kTable)
    EXPECT_EQ(billionths(exp2_negative(x), kFactorBits), expected) << x;
}

// Squares of 2^-x against 2^-2x: the stated error, over the whole range of a fraction.
TEST(FairShare, PowersOfTwoAreWithinTheStatedError) {
  for (Exponent x = 1; x < kOneExponent; x = x * 3 + 12'345) {
    const unsigned __int128 once = exp2_negative(x);
    const auto squared = static_cast<Factor>((once * once) >> kFactorBits);
    const Factor twice = exp2_negative(2 * x);
    EXPECT_LT(squared > twice ? squared - twice : twice - squared, Factor{1} << (kFactorBits - 54)) << x;
  }
}

TEST(FairShare, NormalisedUsageIsTheWeightedMeanOfWhatWasUsedOfTheCapacity) {
  const SlotShare cpu{SlotSeconds{8'640'000} * kUnit, 100 * kUnit, kUnit};
  EXPECT_EQ(billionths(normalised(std::span(&cpu, 1), 30), kExponentBits), 33'333'333u);
  const SlotShare none{SlotSeconds{8'640'000} * kUnit, 0, kUnit};
  EXPECT_EQ(normalised(std::span(&none, 1), 30), 0u) << "a slot without capacity";
  const SlotShare both[] = {cpu, none};
  EXPECT_EQ(normalised(both, 30), normalised(std::span(&cpu, 1), 30));
  EXPECT_EQ(normalised({}, 30), 0u);
  const SlotShare weighted[] = {cpu, {0, 100 * kUnit, 10 * kUnit}};  // (1 * .0333 + 10 * 0) / 11
  EXPECT_EQ(billionths(normalised(weighted, 30), kExponentBits), 3'030'303u);
}

TEST(FairShare, NormalisedUsageHoldsTheMemoryOfALargeCell) {
  constexpr Amount kHundredPetabytes = Amount{100'000} << 40;
  const SlotShare mem{SlotSeconds{kHundredPetabytes} * 28 * 86'400, kHundredPetabytes, 1'000};
  EXPECT_EQ(normalised(std::span(&mem, 1), 28), kOneExponent);
  const SlotShare shrunk{SlotSeconds{kHundredPetabytes} * 28 * 86'400, 1, 1'000};
  EXPECT_EQ(factor_of(normalised(std::span(&shrunk, 1), 28)), 976'563u) << "the exponent is 10 at most";
}

TEST(FairShare, FactorIsOneUnusedAndHalfFullyUsed) {
  EXPECT_EQ(fair_factor(0, kUnit), kOneFactor);
  EXPECT_EQ(fair_factor(kOneExponent, kUnit), kOneFactor / 2);
  EXPECT_EQ(fair_factor(kOneExponent, 2 * kUnit), exp2_negative(kOneExponent / 2))
      << "a higher weight, a higher factor";
  EXPECT_EQ(factor_of(1'000 * kOneExponent), 976'563u);
  EXPECT_EQ(factor_of(~Exponent{0}, 1), 976'563u);
}

TEST(FairShare, AShorterHalfLifeForgivesOldUsageSooner) {
  EXPECT_LT(counts_today(used({{10, 1000}}), 3), counts_today(used({{10, 1000}}), 7));
}

TEST(FairShare, MoreUsageIsALowerFactor) {
  Factor before = kOneFactor + 1;
  for (const std::uint64_t seconds : {100u, 1'000u, 10'000u, 100'000u}) {  // ranks 1..4
    const SlotShare cpu{SlotSeconds{seconds} * kUnit, 4 * kUnit, kUnit};
    const Factor factor = fair_factor(normalised(std::span(&cpu, 1), 28), kUnit);
    EXPECT_LT(factor, before);
    before = factor;
  }
}

// ---- slices ----

Timestamp at(int hours, int minutes, int seconds, int day = 0) {
  return (static_cast<std::int64_t>(kToday) + day) * kDay + hours * kHour + minutes * kMinute +
         seconds * kSecond;
}
using Slices = std::vector<UsageSlice>;

TEST(UsageSlices, TheFirstEndsAtTheNextFiveMinutes) {
  EXPECT_EQ(usage_slices(at(7, 42, 30), at(7, 47, 0), false), (Slices{{at(7, 42, 30), at(7, 45, 0)}}));
}

TEST(UsageSlices, OnlyWholeOnesWhileItRuns) {
  EXPECT_EQ(usage_slices(at(7, 45, 0), at(7, 52, 30), false), (Slices{{at(7, 45, 0), at(7, 50, 0)}}));
  EXPECT_EQ(usage_slices(at(7, 45, 0), at(7, 48, 0), false), Slices{});
}

TEST(UsageSlices, TheLastEndsWhenTheSessionDid) {
  EXPECT_EQ(usage_slices(at(7, 50, 0), at(7, 53, 30), true), (Slices{{at(7, 50, 0), at(7, 53, 30)}}));
  EXPECT_EQ(usage_slices(at(7, 50, 0), at(7, 50, 0), true), Slices{});
}

TEST(UsageSlices, HaveNoGapsHoweverSeldomOneLooks) {
  const Slices slices = usage_slices(at(7, 42, 30), at(9, 1, 2), true);
  ASSERT_EQ(slices.size(), 17u);
  EXPECT_EQ(slices.front().from, at(7, 42, 30));
  for (std::size_t i = 1; i < slices.size(); ++i) EXPECT_EQ(slices[i].from, slices[i - 1].to);
  EXPECT_EQ(slices.back().to, at(9, 1, 2));
}

TEST(UsageSlices, AcrossMidnightIsSplitByDuration) {
  const UsageSlice slice{at(23, 58, 0), at(0, 3, 0, 1)};
  EXPECT_EQ(parts_by_day(slice), (std::vector<DayPart>{{kToday, 2 * kMinute}, {kToday + 1, 3 * kMinute}}));
  const SlotAmount cpu{kCpu, 2 * kUnit};
  UsageByDay usage;
  add_usage(&usage, slice, std::span(&cpu, 1));
  EXPECT_TRUE(usage[kToday][kCpu] == SlotSeconds{240} * kUnit);
  EXPECT_TRUE(usage[kToday + 1][kCpu] == SlotSeconds{360} * kUnit);
}

TEST(UsageSlices, EndingAtMidnightStaysInTheOldDay) {
  EXPECT_EQ(parts_by_day({at(23, 55, 0), at(0, 0, 0, 1)}), (std::vector<DayPart>{{kToday, 5 * kMinute}}));
}

}  // namespace
}  // namespace berth::placement
