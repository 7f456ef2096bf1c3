// Past usage summed by day and slot: the input of fair_share.h. Slices and days are those of events/base,
// since the fold cuts time the same way.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "controller/placement/types.h"
#include "events/base/usage_slices.h"

namespace berth::placement {

// Usage of one owner, by day and slot.
using UsageByDay = std::map<std::int32_t, std::map<SlotId, SlotSeconds>>;
// Adds the usage of these slots over the slice. Each day's part is rounded down to a whole micro-unit second.
void add_usage(UsageByDay* usage, const UsageSlice& slice, std::span<const SlotAmount> slots);
// Subtracts what add_usage() added for the same slice and slots.
void subtract_usage(UsageByDay* usage, const UsageSlice& slice, std::span<const SlotAmount> slots);

}  // namespace berth::placement
