// What a session used, cut into slices and added up by day: the input of fair_share.h.
//
// Usage is written down while a session runs, in slices that end on 5-minute boundaries, so that a crash loses one slice at
// most and writing the same slice twice is seen by its start. Pure: the caller hands in what was the time when it looked.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "controller/scheduler/types.h"

namespace berth::scheduler {

// A slot amount held for a second: micro-units (or bytes) times seconds. Wide: the memory of a large cell over a month does
// not fit 64 bits.
using SlotSeconds = unsigned __int128;

inline constexpr Duration kUsageSlice = 300 * kSecond;

struct UsageSlice {
  Timestamp from = 0;
  Timestamp to = 0;  // not included
  bool operator==(const UsageSlice&) const = default;
};

// The slices that are due for a session of which everything before `from` (its start, or the end of its last slice) is
// written down. While it runs only whole slices are due; when it has ended (`over`), the rest up to `seen` too.
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

// Used by somebody, by day and slot.
using UsageByDay = std::map<std::int32_t, std::map<SlotId, SlotSeconds>>;
// Adds what these slots come to over the slice. Each part is rounded down to a whole micro-unit second.
void add_usage(UsageByDay* usage, const UsageSlice& slice, std::span<const SlotAmount> slots);

}  // namespace berth::scheduler
