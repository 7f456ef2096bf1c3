#include "controller/placement/order/usage_slices.h"

namespace berth::placement {

void add_usage(UsageByDay* usage, const UsageSlice& slice, std::span<const SlotAmount> slots) {
  for (const DayPart& part : parts_by_day(slice)) {
    for (const SlotAmount& slot : slots) {
      if (slot.amount > 0) (*usage)[part.day][slot.slot] += slot_seconds(slot.amount, part.length);
    }
  }
}

void subtract_usage(UsageByDay* usage, const UsageSlice& slice, std::span<const SlotAmount> slots) {
  for (const DayPart& part : parts_by_day(slice)) {
    for (const SlotAmount& slot : slots) {
      if (slot.amount > 0) (*usage)[part.day][slot.slot] -= slot_seconds(slot.amount, part.length);
    }
  }
}

}  // namespace berth::placement
