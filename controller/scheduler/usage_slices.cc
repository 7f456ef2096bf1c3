#include "controller/scheduler/usage_slices.h"

#include <algorithm>

namespace berth::scheduler {

namespace {

// Rounds towards the past, also before 1970.
std::int64_t floor_div(std::int64_t value, std::int64_t step) {
  const std::int64_t quotient = value / step;
  return value % step < 0 ? quotient - 1 : quotient;
}

}  // namespace

std::vector<UsageSlice> usage_slices(Timestamp from, Timestamp seen, bool over) {
  const Timestamp last = over ? seen : floor_div(seen, kUsageSlice) * kUsageSlice;
  std::vector<UsageSlice> slices;
  while (from < last) {
    const Timestamp boundary = (floor_div(from, kUsageSlice) + 1) * kUsageSlice;
    const Timestamp to = std::min(boundary, last);
    slices.push_back({from, to});
    from = to;
  }
  return slices;
}

std::int32_t day_of(Timestamp time) { return static_cast<std::int32_t>(floor_div(time, kDay)); }

std::vector<DayPart> parts_by_day(const UsageSlice& slice) {
  std::vector<DayPart> parts;
  for (Timestamp from = slice.from; from < slice.to;) {
    const std::int32_t day = day_of(from);
    const Timestamp to = std::min((day + std::int64_t{1}) * kDay, slice.to);
    parts.push_back({day, to - from});
    from = to;
  }
  return parts;
}

void add_usage(UsageByDay* usage, const UsageSlice& slice, std::span<const SlotAmount> slots) {
  for (const DayPart& part : parts_by_day(slice)) {
    for (const SlotAmount& slot : slots) {
      if (slot.amount <= 0) continue;
      const SlotSeconds used = static_cast<SlotSeconds>(slot.amount) * static_cast<SlotSeconds>(part.length);
      (*usage)[part.day][slot.slot] += used / kSecond;
    }
  }
}

}  // namespace berth::scheduler
