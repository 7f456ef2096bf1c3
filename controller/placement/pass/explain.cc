#include "controller/placement/pass/explain.h"

#include "controller/placement/cluster/ledger.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/order/queue.h"
#include "controller/placement/pass/diagnose.h"
#include "controller/placement/pass/impossible.h"
#include "controller/placement/pass/try_session.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

SlotLack lack_of(const Agent& agent, const Shortage& shortage) {
  const std::span<const SlotCell> cells = cells_of(agent, shortage.slot);
  SlotLack lack{shortage.slot, shortage.asked, free_of(cells), shortage.missing, on_devices(cells), 0};
  bool first = true;
  for (const SlotCell& cell : cells) {
    if (cell.device == kAgentItself) continue;
    if (first || cell.free() > lack.best_device_free) lack.best_device_free = cell.free();
    first = false;
  }
  return lack;
}

void look_at_agents(Model& model, Group& group, const SessionClass& wanted, const Need& need, Why* result) {
  const Verdict nearest = diagnose(model, group, need, wanted.key, group.index->fitter());
  result->reason = reason_of(nearest);
  if (group.policy.skip_impossible)
    if (const Reason never = impossible(model, group, wanted); never.code != Code::kNone)
      result->reason = never;
  result->nearest = nearest.agent;
  if (nearest.agent == kNoAgent) return;
  for (const Shortage& shortage : nearest.shortages)
    result->lacks.push_back(lack_of(model.agents[nearest.agent], shortage));
}

// As the pass does it, up to the kernel that finds no place; then everything is as before.
void look_kernel_by_kernel(Model& model, Group& group, const SessionClass& wanted, Why* result) {
  Places places;
  if (!take_places(model, group, wanted, &places)) {
    std::size_t last = 0;  // kernel of the part
    while (last + wanted.key.kernels[result->requirement].count <= places.placements.size()) {
      last += wanted.key.kernels[result->requirement++].count;
    }
    const Need need = need_of(model, wanted.key.kernels[result->requirement].requirement);
    look_at_agents(model, group, wanted, need, result);
  }
  give_back_places(model, places);
}

}  // namespace

Why why(Cluster& cluster, const SessionId& session) {
  Why result;
  Model& model = cluster.model();
  const Pending* pending = model.find_pending(session);
  if (pending == nullptr) return result;
  const SessionClass& wanted = model.classes[pending->session_class];
  Group& group = model.groups[wanted.key.group];
  result.waits = true;
  if (pending->reserved) return result;  // it only waits for the end of the sessions that it preempted
  if (wanted.key.mode == Mode::kSingleNode) {
    std::vector<KernelPlacement> placements;
    const bool fits = find_for(model, group, wanted.key, wanted.need, &placements) != kNoAgent;
    look_at_agents(model, group, wanted, wanted.need, &result);
    if (fits) result.reason = {};
  } else {
    look_kernel_by_kernel(model, group, wanted, &result);
  }
  if (pending->wait_cause.code != Code::kNone) {
    result.reason = pending->wait_cause;
  } else if (is_behind_head(model, group, *pending)) {
    result.reason = {Code::kBehindHead, kNoSlot};
    result.head = group.head;
  }
  return result;
}

Reason why_never(Cluster& cluster, const SessionId& session) {
  Model& model = cluster.model();
  const Pending* pending = model.find_pending(session);
  if (pending == nullptr) return {};
  const SessionClass& wanted = model.classes[pending->session_class];
  return impossible(model, model.groups[wanted.key.group], wanted);
}

std::size_t queue_position(Cluster& cluster, const SessionId& session) {
  const Model& model = cluster.model();
  const Pending* pending = model.find_pending(session);
  if (pending == nullptr) return 0;
  Group& group = cluster.model().groups[model.classes[pending->session_class].key.group];
  const bool by_rank = group.ranks && !pending->reserved;
  return 1 + (by_rank ? count_before_ranked(model, group, *pending) : count_before(group, *pending));
}

RequestFault check_request(const Cluster& cluster, std::string_view group_name,
                           std::span<const SlotAmount> slots) {
  const Model& model = cluster.model();
  const auto found = model.group_ids.find(group_name);
  if (found == model.group_ids.end()) return {};
  const Group& group = model.groups[found->second];
  const Reason shape = check_shape(model, group, slots);
  if (shape.code == Code::kInvalidAmount) return {shape.code, shape.slot, 0, kUnit};
  if (shape.code != Code::kNone) return {shape.code, shape.slot, 0, 0};
  for (const SlotAmount& asked : slots) {
    if (!is_accelerator(model.slots[asked.slot].name)) continue;
    const Amount quantum = group.map_policies[asked.slot].quantum;
    const Amount rest = asked.amount % quantum;
    if (rest != 0)
      return {Code::kInvalidAmount, asked.slot, asked.amount - rest, asked.amount - rest + quantum};
  }
  return {};
}

}  // namespace berth::placement
