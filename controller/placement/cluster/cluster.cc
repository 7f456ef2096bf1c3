#include "controller/placement/cluster/cluster.h"

#include <algorithm>

#include "controller/placement/cluster/declared_ends.h"
#include "controller/placement/cluster/group.h"
#include "controller/placement/cluster/held_place.h"
#include "controller/placement/cluster/ledger.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/model/head_reservation.h"
#include "controller/placement/model/members.h"
#include "controller/placement/order/fair_share.h"
#include "controller/placement/order/queue.h"
#include "controller/placement/order/ranked_lanes.h"
#include "controller/placement/select/custom/policy.h"
#include "controller/placement/select/fit.h"
#include "controller/placement/select/least_rise.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

Cluster::Cluster() : model_(std::make_unique<Model>()) {}
Cluster::~Cluster() = default;
Cluster::Cluster(Cluster&&) noexcept = default;
Cluster& Cluster::operator=(Cluster&&) noexcept = default;

SlotId Cluster::define_slot(std::string_view name, SlotKind kind) {
  if (const auto found = find_slot(name)) {
    model_->slots[*found].kind = kind;
    return *found;
  }
  BERTH_CHECK(takes_more_slots(), "callers ask takes_more_slots() where a name is new");
  const auto slot = static_cast<SlotId>(model_->slots.size());
  model_->slots.push_back({std::string(name), kind});
  model_->slot_ids.emplace(name, slot);
  for (Group& group : model_->groups) refresh_settings(*model_, group);
  return slot;
}

bool Cluster::takes_more_slots() const { return model_->slots.size() < kSlotTypesMax; }

std::optional<SlotId> Cluster::find_slot(std::string_view name) const {
  const auto found = model_->slot_ids.find(name);
  return found == model_->slot_ids.end() ? std::nullopt : std::optional(found->second);
}

std::string_view Cluster::slot_name(SlotId slot) const {
  return slot < model_->slots.size() ? std::string_view(model_->slots[slot].name) : std::string_view();
}

SlotKind Cluster::slot_kind(SlotId slot) const { return model_->slots[slot].kind; }

std::optional<AgentIndex> Cluster::find_agent(std::string_view id) const {
  const auto found = model_->agent_ids.find(id);
  return found == model_->agent_ids.end() ? std::nullopt : std::optional(found->second);
}

std::string_view Cluster::agent_name(AgentIndex agent) const { return model_->agents[agent].id; }

std::string_view Cluster::device_name(AgentIndex agent, DeviceIndex device) const {
  return model_->agents[agent].devices[device].id;
}

std::vector<NamedPlacement> Cluster::named(std::span<const KernelPlacement> kernels) const {
  std::vector<NamedPlacement> all;
  all.reserve(kernels.size());
  for (const KernelPlacement& kernel : kernels) {
    NamedPlacement& placement = all.emplace_back();
    placement.agent = agent_name(kernel.agent);
    placement.devices.reserve(kernel.devices.size());
    for (const DeviceShare& share : kernel.devices)
      placement.devices.push_back(
          {device_name(kernel.agent, share.device), slot_name(share.slot), share.amount});
  }
  return all;
}

void Cluster::define_group(std::string_view name, const GroupPolicy& policy) {
  const auto found = model_->group_ids.find(name);
  const bool known = found != model_->group_ids.end();
  const auto index = known ? found->second : static_cast<GroupIndex>(model_->groups.size());
  if (!known) {
    model_->group_ids.emplace(name, index);
    Group& made = model_->groups.emplace_back();
    made.name = std::string(name);
    made.index = std::make_unique<SearchIndex>();
  }
  Group& group = model_->groups[index];
  std::vector<PendingIndex> waiting = by_arrival(group);
  const std::vector<PendingIndex> reserved = reserved_in_order(*model_, group);  // they may wait again
  waiting.insert(waiting.end(), reserved.begin(), reserved.end());
  if (group.rise == nullptr || group.policy.select != policy.select || group.policy.mix != policy.mix ||
      group.policy.shape != policy.shape)
    group.rise = std::make_unique<RiseSettings>(make_rise_settings(policy));
  group.policy = policy;
  group.custom = policy.select == Select::kCustom && model_->policies != nullptr
                     ? model_->policies->find(policy.custom)
                     : nullptr;
  group.ranks = is_ranked(policy.order) ? std::make_unique<RankedLanes>() : nullptr;
  refresh_settings(*model_, group);
  group.lanes.clear();
  group.with_cause.clear();
  group.head_reservation.reset();
  group.ends.clear();
  if (policy.order == Order::kBackfill) collect_ends(*model_, index);
  for (const PendingIndex session : waiting) {
    Pending& pending = model_->pending[session];
    const std::uint32_t timeout_s = policy.order == Order::kBackfill ? pending.timeout_s : 0;
    pending.session_class = with_timeout(*model_, pending.session_class, timeout_s);
    pending.demoted = demoted(group, pending.retries);
    enqueue(*model_, session);
    if (!pending.reserved) group.unexplained.push_back(pending.id);
  }
  ++group.gains;
  group.changes += group.agents.size() + 1;  // no reason worked out before is good any more
  group.touch();
}

void Cluster::set_fair_share(std::string_view name, std::span<const FairShareRow> rows, std::int32_t today) {
  const auto found = model_->group_ids.find(name);
  if (found == model_->group_ids.end()) return;
  Group& group = model_->groups[found->second];
  group.factors.clear();
  change_fair_share(name, rows, today);
}

void Cluster::change_fair_share(std::string_view name, std::span<const FairShareRow> rows,
                                std::int32_t today) {
  const auto found = model_->group_ids.find(name);
  if (found == model_->group_ids.end()) return;
  Group& group = model_->groups[found->second];
  for (const FairFactor& factor : fair_factors(*model_, group, rows, today, group.policy.fair_share)) {
    group.factors[{factor.scope, model_->intern_name(factor.id)}] = factor.factor;
  }
  if (group.ranks) group.ranks->everyone_changed();
  group.touch();
}

void Cluster::set_round_robin_index(std::string_view name, std::uint64_t index) {
  const auto found = model_->group_ids.find(name);
  if (found != model_->group_ids.end()) model_->groups[found->second].round_robin_index = index;
}

void Cluster::set_custom_policies(CustomPolicies* policies) { model_->policies = policies; }

bool Cluster::has_group(std::string_view name) const { return model_->group_ids.contains(name); }

void Cluster::upsert_agent(const AgentSpec& spec) {
  const auto group = model_->group_ids.find(spec.group);
  BERTH_CHECK(group != model_->group_ids.end(), "an agent joins a group that is not defined");
  upsert(*model_, group->second, spec);
}

void Cluster::remove_agent(std::string_view id) {
  const auto found = find_agent(id);
  if (!found || model_->agents[*found].group == kNothing) return;
  AgentSpec away;
  away.id = std::string(id);
  away.group = model_->groups[model_->agents[*found].group].name;
  away.schedulable = false;
  upsert_agent(away);
  Agent& agent = model_->agents[*found];
  Group& group = model_->groups[agent.group];
  group.index->remove(*model_, *found);
  group.agents.erase(agent.label);
  ++group.capacities;
  agent.group = kNothing;
}

void Cluster::set_agent_schedulable(std::string_view id, bool schedulable) {
  const auto found = find_agent(id);
  if (!found || model_->agents[*found].schedulable == schedulable) return;
  model_->agents[*found].schedulable = schedulable;
  if (model_->agents[*found].group != kNothing)
    capacity_changed(model_->groups[model_->agents[*found].group]);
  agent_changed(*model_, *found, true);
}

void Cluster::occupy(const SessionId& id, std::span<const PlacedKernel> kernels, std::string_view user) {
  remove_pending(id);
  for (const PlacedKernel& placed : kernels) {
    Live& live = live_for(*model_, id);
    if (live.kernels.empty()) live.user = model_->intern_name(user);
    const auto known = live.kernels.view();
    if (std::any_of(known.begin(), known.end(),
                    [&](const Live::Kernel& k) { return k.kernel == placed.kernel; }))
      continue;
    Live::Kernel made = kernel_of(*model_, placed);
    take(*model_, made.requirement, made.agent, made.devices.view());
    count_for_user(*model_, live.user, made, 1);
    add_holder(*model_, made.agent, live);
    count_members(*model_, live, -1);
    const AgentIndex agent = made.agent;
    std::vector<Live::Kernel> all = live.kernels.take();
    const auto before = [](const Live::Kernel& kernel, KernelIndex wanted) { return kernel.kernel < wanted; };
    all.insert(std::lower_bound(all.begin(), all.end(), placed.kernel, before), std::move(made));
    live.kernels.assign(std::move(all));
    count_members(*model_, live, 1);
    add_end(*model_, model_->find_live(id), model_->agents[agent].group);
  }
}

void Cluster::occupy_elsewhere(std::string_view group, std::string_view user,
                               std::span<const SlotAmount> slots, int sign) {
  Group& here = model_->groups[model_->group_ids.find(group)->second];
  const std::uint32_t name = model_->intern_name(user);
  count_share(here, model_->slots.size(), name, slots, sign);
  std::vector<Amount>& elsewhere = here.occupied_elsewhere[name];
  elsewhere.resize(model_->slots.size(), 0);
  for (const SlotAmount& slot : slots) elsewhere[slot.slot] += sign * slot.amount;
}

void Cluster::set_declared_end(const SessionId& id, Timestamp ends) {
  const LiveIndex live = model_->find_live(id);
  if (live != kNothing) set_end(*model_, live, ends);
}

namespace {

void free_kernel(Model& model, const Live& live, const Live::Kernel& kernel) {
  count_for_user(model, live.user, kernel, -1);
  drop_holder(model, kernel.agent, live);
  give_back(model, kernel.requirement, kernel.agent, kernel.devices.view());
  drop_requirement(model, kernel.requirement);
}

}  // namespace

bool Cluster::release(const SessionId& id, KernelIndex kernel) {
  const LiveIndex index = model_->find_live(id);
  if (index == kNothing) return false;
  Live& live = model_->live[index];
  const auto known = live.kernels.view();
  const auto at =
      std::find_if(known.begin(), known.end(), [&](const Live::Kernel& k) { return k.kernel == kernel; });
  if (at == known.end()) return false;
  count_members(*model_, live, -1);
  free_kernel(*model_, live, *at);
  const auto place = at - known.begin();
  const GroupIndex group = at->group;
  std::vector<Live::Kernel> left = live.kernels.take();
  left.erase(left.begin() + place);
  const bool more =
      std::any_of(left.begin(), left.end(), [&](const Live::Kernel& k) { return k.group == group; });
  if (!more) remove_end(*model_, index, group);
  live.kernels.assign(std::move(left));
  count_members(*model_, live, 1);
  if (live.kernels.empty()) forget_live(*model_, index);
  return true;
}

bool Cluster::release(const SessionId& id) {
  const LiveIndex index = model_->find_live(id);
  if (index == kNothing) return false;
  const Live& live = model_->live[index];
  count_members(*model_, live, -1);
  for (const Live::Kernel& kernel : live.kernels.view()) {
    remove_end(*model_, index, kernel.group);
    free_kernel(*model_, live, kernel);
  }
  forget_live(*model_, index);
  return true;
}

}  // namespace berth::placement
