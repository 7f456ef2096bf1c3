#include "projections/tables/use/use_log.h"

#include <algorithm>

#include "projections/tables/occupancy.h"
#include "projections/tables/use/usage_book.h"

namespace berth::projections {
namespace {

bool is_there(const AgentRow* agent) {
  return agent != nullptr && agent->state == AgentState::kAlive && !agent->group.empty();
}

bool has_equal_capacity(const AgentRow& a, const AgentRow& b) {
  return a.group == b.group && a.slots == b.slots && a.devices == b.devices;
}

UseChange capacity_change(const AgentRow& agent, bool begins) {
  UseChange change{UseKind::kCapacity, begins, nullptr, agent.group, agent.name, {}, false, 0};
  for (const SlotAmount& slot : agent.slots) change.parts.push_back({"", slot.slot, slot.amount});
  for (const DeviceRow& device : agent.devices)
    for (const SlotAmount& slot : device.slots) change.parts.push_back({device.id, slot.slot, slot.amount});
  return change;
}

UseChange waiting_change(const SessionRow& session, bool begins) {
  const v1::SessionSpec& spec = session.spec->spec;
  UseChange change{UseKind::kWaiting, begins, session.owner, spec.group(), "", {}, false, 0};
  for (const auto& role : spec.roles())
    for (const auto& slot : role.slots())
      if (slot.amount() != 0)
        change.parts.push_back({"", slot.slot(), pending_amount(slot.amount(), role.count())});
  return change;
}

}  // namespace

void UseLog::on_row(const SessionRow* before, const SessionRow* after) {
  if (!on_) return;
  const bool waited = use_of(before) == SessionUse::kPending;
  const bool waits = use_of(after) == SessionUse::kPending;
  if (waited == waits) return;
  UseChange change = waiting_change(waits ? *after : *before, waits);
  if (use_of(after) == SessionUse::kActive && waited) {
    change.got_its_place = true;
    change.waited =
        std::max<Duration>(0, after->scheduled_at - std::max(after->created_at, after->requeued_at));
  }
  changes_.push_back(std::move(change));
}

void UseLog::on_row(const AgentRow* before, const AgentRow* after) {
  if (!on_) return;
  const bool was = is_there(before), is = is_there(after);
  if (was && is && has_equal_capacity(*before, *after)) return;
  if (was) changes_.push_back(capacity_change(*before, false));
  if (is) changes_.push_back(capacity_change(*after, true));
}

void UseLog::held(const KernelRow& kernel, bool begins) {
  if (!on_) return;
  UseChange change{UseKind::kHeld, begins, kernel.owner, kernel.spec->spec.group(),
                   kernel.agent,   {},     false,        0};
  for (const SlotAmount& slot : agent_level_demand(kernel))
    change.parts.push_back({"", slot.slot, slot.amount});
  for (const DeviceShare& share : kernel.devices)
    change.parts.push_back({share.device, share.slot, share.amount});
  changes_.push_back(std::move(change));
}

}  // namespace berth::projections
