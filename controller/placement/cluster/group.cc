#include "controller/placement/cluster/group.h"

#include <algorithm>

#include "controller/placement/model/catalog.h"
#include "controller/placement/model/head_reservation.h"
#include "controller/placement/order/ranked_lanes.h"
#include "controller/placement/select/least_rise.h"
#include "controller/placement/select/score.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

Group::Group() = default;
Group::~Group() = default;
Group::Group(Group&&) noexcept = default;
Group& Group::operator=(Group&&) noexcept = default;

void refresh_settings(Model& model, Group& group) {
  group.slot_order = slot_order(model, group.policy);
  group.rated = static_cast<std::size_t>(
      std::count_if(group.slot_order.begin(), group.slot_order.end(),
                    [&](SlotId slot) { return is_rated(model, group.policy, slot); }));
  group.map_policies.clear();
  for (SlotId slot = 0; slot < model.slots.size(); ++slot) {
    const DevicePolicy policy = device_policy(model, group, slot);
    group.map_policies.push_back({model.slots[slot].kind, policy.spread, std::max<Amount>(policy.quantum, 1),
                                  policy.allow_fragments, 0, !is_accelerator(model.slots[slot].name)});
  }
  group.index->rebuild(model, group);
  ++group.capacities;  // devices may give a slot in other ways now
}

}  // namespace berth::placement
