// Time in which something was held, cut into slices and split by day (BEHAVIOURS 12).
//
// What lives is counted in slices that end on 5-minute boundaries, so that everybody who looks between two
// boundaries sees the same. Pure: the caller hands in what was the time when it looked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/clock.h"

namespace berth {

// A slot amount held for a second: micro-units (or bytes) times seconds. Wide: the memory of a large cell
// over a month does not fit 64 bits.
using SlotSeconds = unsigned __int128;

inline constexpr Duration kUsageSlice = 300 * kSecond;

struct UsageSlice {
  Timestamp from = 0;
  Timestamp to = 0;  // not included
  bool operator==(const UsageSlice&) const = default;
};

// The last 5-minute boundary up to then.
Timestamp slice_boundary(Timestamp time);

// The slices that are due for a session of which everything before `from` (its start, or the end of its last
// slice) is written down. While it runs only whole slices are due; when it has ended (`over`), the rest up to
// `seen` too.
std::vector<UsageSlice> usage_slices(Timestamp from, Timestamp seen, bool over);

// Days since 1970-01-01, UTC.
std::int32_t day_of(Timestamp time);

struct DayPart {
  std::int32_t day = 0;
  Duration length = 0;
  bool operator==(const DayPart&) const = default;
};
// A slice by the days that it touches; one that ends at midnight belongs to the day before altogether.
std::vector<DayPart> parts_by_day(const UsageSlice& slice);

// What an amount comes to over that time, rounded down to a whole micro-unit second. REQUIRES: both at least
// 0.
SlotSeconds slot_seconds(std::int64_t amount, Duration time);

// In decimal, in units of a million: "1.5" for 1,500,000.
std::string decimal_of_micro(SlotSeconds micro);
// In decimal.
std::string decimal_of(SlotSeconds number);

}  // namespace berth
