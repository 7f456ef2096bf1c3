#include "events/base/usage_slices.h"

#include <algorithm>

namespace berth {

namespace {

// Rounds towards the past, also before 1970.
std::int64_t floor_div(std::int64_t value, std::int64_t step) {
  const std::int64_t quotient = value / step;
  return value % step < 0 ? quotient - 1 : quotient;
}

}  // namespace

Timestamp slice_boundary(Timestamp time) { return floor_div(time, kUsageSlice) * kUsageSlice; }

std::vector<UsageSlice> usage_slices(Timestamp from, Timestamp seen, bool over) {
  const Timestamp last = over ? seen : slice_boundary(seen);
  std::vector<UsageSlice> slices;
  while (from < last) {
    const Timestamp to = std::min(slice_boundary(from) + kUsageSlice, last);
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

SlotSeconds slot_seconds(std::int64_t amount, Duration time) {
  return static_cast<SlotSeconds>(amount) * static_cast<SlotSeconds>(time) / kSecond;
}

std::string decimal_of(SlotSeconds number) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(number % 10)));
    number /= 10;
  } while (number != 0);
  return digits;
}

std::string decimal_of_micro(SlotSeconds micro) {
  constexpr unsigned kMillion = 1'000'000;
  std::string text = decimal_of(micro / kMillion);
  std::string rest = decimal_of(micro % kMillion + kMillion).substr(1);
  while (!rest.empty() && rest.back() == '0') rest.pop_back();
  return rest.empty() ? text : text + "." + rest;
}

}  // namespace berth
