// What was used, summed up by day as slots are freed.
#include "projections/fold/event_context.h"

namespace berth::projections {

void count_usage(EventContext& c, const KernelRow& ended, const SessionRow& session) {
  const std::string& name = ended.spec->spec.group();
  const GroupRow* group = c.state.groups.find(name);
  if (group == nullptr || !sums_usage(group->def)) return;
  const std::int32_t oldest = day_of(c.time) - kUsageKeptDays + 1;
  for (const DayPart& part : parts_by_day({session.scheduled_at, c.time})) {
    if (part.day < oldest) continue;
    for (const std::string& scope : ended.owner->scopes) {
      if (scope.empty() || scope.starts_with("keypair/")) continue;
      const DayUsageRow* known = c.state.day_usage.find(DayUsageRow::make_key(name, scope, part.day));
      DayUsageRow row = known != nullptr ? *known : DayUsageRow{name, scope, part.day, {}};
      for (const auto& slot : ended.role_spec().slots())
        if (slot.amount() > 0) row.add(slot.slot(), slot_seconds(slot.amount(), part.length));
      c.state.day_usage.put(std::move(row));
    }
  }
}

}  // namespace berth::projections
