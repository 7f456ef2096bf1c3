// The time for which slots were held, cut into slices and split by day (BEHAVIOURS 12).
//
// A running session is counted in slices that end on 5-minute boundaries, so that all readers between two
// boundaries see the same usage. Pure: the caller passes in the time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/base/clock.h"

namespace berth {

// A slot amount held for a second: micro-units (or bytes) times seconds. The memory of a large cell over a
// month does not fit 64 bits.
using SlotSeconds = unsigned __int128;

inline constexpr Duration kUsageSlice = 300 * kSecond;

struct UsageSlice {
  Timestamp from = 0;
  Timestamp to = 0;  // not included
  bool operator==(const UsageSlice&) const = default;
};

// The last 5-minute boundary at or before `time`.
Timestamp slice_boundary(Timestamp time);

// The slices to write for a session whose usage before `from` (the start, or the end of the last slice) is
// written. While the session runs: whole slices only; once the session has ended (`over`): also the rest up
// to `seen`.
std::vector<UsageSlice> usage_slices(Timestamp from, Timestamp seen, bool over);

// Days since 1970-01-01, UTC.
std::int32_t day_of(Timestamp time);

struct DayPart {
  std::int32_t day = 0;
  Duration length = 0;
  bool operator==(const DayPart&) const = default;
};
// Splits a slice by day. A slice that ends at midnight belongs wholly to the day before.
std::vector<DayPart> parts_by_day(const UsageSlice& slice);

// `amount` times `time`, rounded down to a whole micro-unit second. REQUIRES: both at least 0.
SlotSeconds slot_seconds(std::int64_t amount, Duration time);

// In decimal, in units of a million: "1.5" for 1,500,000.
std::string decimal_of_micro(SlotSeconds micro);
// In decimal.
std::string decimal_of(SlotSeconds number);

}  // namespace berth
