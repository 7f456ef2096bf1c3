// What somebody used, added up by day and slot: the input of fair_share.h. Slices and days are events/base's,
// since the fold cuts time the same way.
#pragma once

#include <map>
#include <span>

#include "controller/placement/types.h"
#include "events/base/usage_slices.h"

namespace berth::placement {

// Used by somebody, by day and slot.
using UsageByDay = std::map<std::int32_t, std::map<SlotId, SlotSeconds>>;
// Adds what these slots come to over the slice. Each part is rounded down to a whole micro-unit second.
void add_usage(UsageByDay* usage, const UsageSlice& slice, std::span<const SlotAmount> slots);
// Takes back what add_usage() added for the same.
void subtract_usage(UsageByDay* usage, const UsageSlice& slice, std::span<const SlotAmount> slots);

}  // namespace berth::placement
