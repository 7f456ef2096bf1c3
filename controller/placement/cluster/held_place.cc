#include "controller/placement/cluster/held_place.h"

#include <algorithm>

#include "controller/placement/cluster/ledger.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/order/queue.h"
#include "controller/placement/select/fit.h"

namespace berth::placement {

namespace {

void apply(std::vector<SlotCell>& cells, const Model& model, const Live::Kernel& kernel, int sign) {
  apply_to_cells(cells, model.requirements[kernel.requirement], kernel.devices.view(), sign);
}

// Subtracts what leaving sessions occupy on the agent: victims, and sessions that end anyway.
void take_leaving_away(const Model& model, AgentIndex index, std::vector<SlotCell>* cells,
                       std::uint32_t* containers) {
  std::vector<LiveIndex> holders = model.agents[index].holders;
  std::sort(holders.begin(), holders.end());
  holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
  for (const LiveIndex holder : holders) {
    if (!model.live[holder].leaving) continue;
    for (const Live::Kernel& kernel : model.live[holder].kernels.view()) {
      if (kernel.agent != index) continue;
      apply(*cells, model, kernel, -1);
      --*containers;
    }
  }
}

// True if the kernels of the held place fit on the agent beside what live sessions occupy there: all held
// places are subtracted, then this one is added. `later`: as if all leaving sessions had ended.
bool has_room(const Model& model, const HeldPlace& place, AgentIndex index, bool later) {
  const Agent& agent = model.agents[index];
  std::vector<SlotCell> cells = agent.cells;
  std::uint32_t containers = agent.containers;
  if (later) take_leaving_away(model, index, &cells, &containers);
  for (const auto& [id, other] : model.held_places) {
    for (const Live::Kernel& kernel : other.kernels) {
      if (kernel.agent != index) continue;
      apply(cells, model, kernel, -1);
      --containers;
    }
  }
  const std::vector<SlotCell> before = cells;
  for (const Live::Kernel& kernel : place.kernels) {
    if (kernel.agent != index) continue;
    apply(cells, model, kernel, 1);
    ++containers;
  }
  for (const SlotCell& cell : cells) {
    const auto same = [&](const SlotCell& c) { return c.slot == cell.slot && c.device == cell.device; };
    const auto was = std::find_if(before.begin(), before.end(), same);
    const bool asked = was == before.end() || was->used != cell.used;
    if (asked && cell.free() < 0) return false;
  }
  return containers <= agent.max_containers;
}

}  // namespace

void add_held_place(Model& model, PendingIndex index, std::vector<Live::Kernel> kernels) {
  Pending& session = model.pending[index];
  BERTH_CHECK(!session.reserved, "a place is held for a session that has one");
  dequeue(model, index);
  session.reserved = true;
  session.recorded = {};
  for (const Live::Kernel& kernel : kernels)
    take(model, kernel.requirement, kernel.agent, kernel.devices.view());
  ++model.groups[model.classes[session.session_class].key.group].losses;
  model.held_places[session.id] = {index, std::move(kernels)};
}

void drop_held_place(Model& model, PendingIndex index, bool gain) {
  Pending& session = model.pending[index];
  const auto found = model.held_places.find(session.id);
  BERTH_CHECK(found != model.held_places.end(), "a place is dropped that is not held");
  for (const Live::Kernel& kernel : found->second.kernels) {
    (gain ? give_back : undo_take)(model, kernel.requirement, kernel.agent, kernel.devices.view());
    drop_requirement(model, kernel.requirement);
  }
  model.held_places.erase(found);
  // `reserved` stays set while the session is in no lane: the caller enqueues or forgets the session.
}

Places places_of(const HeldPlace& place) {
  Places places;
  for (const Live::Kernel& kernel : place.kernels) {
    places.requirements.push_back(kernel.requirement);
    const auto devices = kernel.devices.view();
    places.placements.push_back({kernel.agent, {devices.begin(), devices.end()}});
  }
  return places;
}

PlaceState state_of(const Model& model, const Group& group, const HeldPlace& place) {
  PlaceState state = PlaceState::kFree;
  for (const Live::Kernel& kernel : place.kernels) {
    const Agent& agent = model.agents[kernel.agent];
    if (agent.group != model.index_of(group) || !agent.takes_more()) return PlaceState::kGone;
    if (has_room(model, place, kernel.agent, false)) continue;
    if (!has_room(model, place, kernel.agent, true)) return PlaceState::kGone;
    state = PlaceState::kTaken;
  }
  return state;
}

Amount held_amount(const Model& model, AgentIndex agent, std::optional<DeviceIndex> device, SlotId slot) {
  std::vector<SlotCell> cells;
  for (const auto& [id, place] : model.held_places) {
    for (const Live::Kernel& kernel : place.kernels) {
      if (kernel.agent == agent) apply(cells, model, kernel, 1);
    }
  }
  Amount held = 0;
  for (const SlotCell& cell : cells) {
    if (cell.slot == slot && cell.device == device.value_or(cell.device)) held += cell.used;
  }
  return held;
}

std::uint32_t held_containers(const Model& model, AgentIndex agent) {
  std::uint32_t held = 0;
  for (const auto& [id, place] : model.held_places) {
    for (const Live::Kernel& kernel : place.kernels) held += kernel.agent == agent ? 1 : 0;
  }
  return held;
}

std::vector<PendingIndex> reserved_in_order(const Model& model, const Group& group) {
  std::vector<PendingIndex> all;
  for (const auto& [id, place] : model.held_places) {
    const ClassIndex session_class = model.pending[place.session].session_class;
    if (model.classes[session_class].key.group == model.index_of(group)) all.push_back(place.session);
  }
  std::sort(all.begin(), all.end(), [&](PendingIndex a, PendingIndex b) {
    const Pending& left = model.pending[a];
    const Pending& right = model.pending[b];
    return std::pair{lane_of(left), key_of(group, left)} < std::pair{lane_of(right), key_of(group, right)};
  });
  return all;
}

void forget_pending(Model& model, PendingIndex session) {
  Pending& waiting = model.pending[session];
  if (model.held_places.contains(waiting.id)) drop_held_place(model, session, true);
  dequeue(model, session);
  Group& group = model.groups[model.classes[waiting.session_class].key.group];
  const auto same = group.job_priorities.find(waiting.job_priority);
  BERTH_CHECK(group.pending > 0 && same != group.job_priorities.end(),
              "a session leaves a group that never counted it");
  --group.pending;
  if (--same->second == 0) group.job_priorities.erase(same);
  if (group.head == waiting.id) group.head = {};
  drop_class(model, waiting.session_class);
  model.pending_ids.erase(waiting.id, session);
  waiting = Pending{};
  model.free_pending.push_back(session);
}

}  // namespace berth::placement
