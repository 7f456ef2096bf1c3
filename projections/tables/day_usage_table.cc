#include "projections/tables/day_usage_table.h"

#include <algorithm>

namespace berth::projections {

void DayUsageRow::add(const std::string& slot, SlotSeconds seconds) {
  const auto before = [](const SlotUse& use, const std::string& name) { return use.slot < name; };
  auto at = std::lower_bound(slots.begin(), slots.end(), slot, before);
  if (at == slots.end() || at->slot != slot) at = slots.insert(at, {slot, 0, 0});
  at->set(at->seconds() + seconds);
}

}  // namespace berth::projections
