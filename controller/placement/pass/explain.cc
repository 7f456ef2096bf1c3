#include "controller/placement/pass/explain.h"

#include "controller/placement/cluster/ledger.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/order/queue.h"
#include "controller/placement/pass/attempt.h"
#include "controller/placement/pass/diagnose.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

AgentWhy agent_why(const Model& model, const Verdict& verdict) {
  AgentWhy result{verdict.agent, verdict.code, {}};
  const Agent& agent = model.agents[verdict.agent];
  for (const Shortage& shortage : verdict.shortages) {
    SlotLack lack;
    lack.slot = shortage.slot;
    lack.asked = shortage.asked;
    lack.missing = shortage.missing;
    const std::span<const SlotCell> cells = cells_of(agent, shortage.slot);
    lack.free = free_of(cells);
    lack.on_devices = on_devices(cells);
    for (const SlotCell& cell : cells) {
      if (cell.device == kAgentItself) continue;
      if (lack.best_device != kAgentItself && cell.free() <= lack.best_device_free) continue;
      lack.best_device = cell.device;
      lack.best_device_free = cell.free();
    }
    result.lacks.push_back(lack);
  }
  return result;
}

void look_at_agents(const Model& model, const Group& group, const SessionClass& wanted, const Need& need,
                    bool all, Why* result) {
  Fitter& fitter = group.index->fitter();
  const Choice choice(model, group, wanted.key);
  Verdict nearest;
  Verdict verdict;
  nearest.code = Code::kNoAgents;
  if (all) result->agents.reserve(group.agents.size());
  for (const auto& [label, index] : group.agents) {
    const bool told = judge_into(model, model.agents[index], need, choice, fitter,
                                 all ? Code::kNone : nearest.code, &verdict);
    if (all) result->agents.push_back(agent_why(model, verdict));
    if (told && says_more(model, verdict, nearest)) std::swap(nearest, verdict);
  }
  result->reason = reason_of(nearest);
  result->nearest = nearest.agent;
  if (!all && nearest.agent != kNoAgent) result->agents.push_back(agent_why(model, nearest));
}

// As the pass does it, up to the kernel that finds no place; then everything is as before.
void look_kernel_by_kernel(Model& model, Group& group, const SessionClass& wanted, bool all, Why* result) {
  Places places;
  if (!take_places(model, group, wanted, &places)) {
    std::size_t last = 0;  // kernel of the part
    while (last + wanted.key.kernels[result->requirement].count <= places.placements.size()) {
      last += wanted.key.kernels[result->requirement++].count;
    }
    const Need need = need_of(model, wanted.key.kernels[result->requirement].requirement);
    look_at_agents(model, group, wanted, need, all, result);
  }
  give_back_places(model, places);
}

}  // namespace

Why why(Cluster& cluster, const SessionId& session, bool all_agents) {
  Why result;
  Model& model = cluster.model();
  const Pending* pending = model.find_pending(session);
  if (pending == nullptr) return result;
  const SessionClass& wanted = model.classes[pending->session_class];
  Group& group = model.groups[wanted.key.group];
  result.waits = true;
  result.queue_length = group.pending;
  const bool by_rank = group.ranks && !pending->reserved;
  result.position =
      1 + (by_rank ? count_before_ranked(model, group, *pending) : count_before(group, *pending));
  if (pending->reserved) return result;  // it waits for the end of those that it preempted alone
  if (wanted.key.mode == Mode::kSingleNode) {
    std::vector<KernelPlacement> placements;
    const bool fits = find_for(model, group, wanted.key, wanted.need, &placements) != kNoAgent;
    look_at_agents(model, group, wanted, wanted.need, all_agents, &result);
    if (fits) result.reason = {};
  } else {
    look_kernel_by_kernel(model, group, wanted, all_agents, &result);
  }
  if (pending->wait_cause.code != Code::kNone) {
    result.reason = pending->wait_cause;
  } else if (is_behind_head(model, group, *pending)) {
    result.reason = {Code::kBehindHead, kNoSlot};
    result.head = group.head;
  }
  return result;
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
