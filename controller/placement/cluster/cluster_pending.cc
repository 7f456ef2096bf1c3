// Cluster: pending sessions, and questions.

#include "controller/placement/cluster/cluster.h"
#include "controller/placement/cluster/declared_ends.h"
#include "controller/placement/cluster/group.h"
#include "controller/placement/cluster/held_place.h"
#include "controller/placement/model/catalog.h"
#include "controller/placement/model/head_reservation.h"
#include "controller/placement/order/queue.h"
#include "controller/placement/select/fit.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

Result<void> Cluster::add_pending(const PendingSpec& spec) {
  const auto found = model_->group_ids.find(spec.group);
  if (found == model_->group_ids.end()) {
    return make_error("unknown-group", "there is no resource group \"" + spec.group + "\"");
  }
  if (spec.kernels.empty()) return make_error("no-kernels", "a session has at least one kernel");
  const PendingIndex known = model_->find_pending_index(spec.id);
  if (known != kNothing) forget_pending(*model_, known);
  PendingIndex index;
  if (model_->free_pending.empty()) {
    index = static_cast<PendingIndex>(model_->pending.size());
    model_->pending.emplace_back();
  } else {
    index = model_->free_pending.back();
    model_->free_pending.pop_back();
  }
  Group& group = model_->groups[found->second];
  Pending& pending = model_->pending[index];
  pending.id = spec.id;
  pending.created = spec.created;
  pending.arrival = spec.arrival;
  pending.priority = spec.priority;
  pending.domain = model_->intern_name(spec.domain);
  pending.project = model_->intern_name(spec.project);
  pending.user = model_->intern_name(spec.user);
  pending.job_priority = spec.job_priority;
  pending.preemptible = spec.preemptible;
  pending.system = spec.system;
  pending.timeout_s = spec.timeout_s;
  pending.retries = spec.retries;
  pending.demoted = demoted(group, spec.retries);
  pending.wait_cause = spec.wait_cause;
  pending.session_class = intern_class(*model_, found->second, spec);
  model_->pending_ids.insert(spec.id, index);
  ++group.pending;
  ++group.job_priorities[pending.job_priority];
  group.touch();
  group.unexplained.push_back(spec.id);
  enqueue(*model_, index);
  return {};
}

bool Cluster::remove_pending(const SessionId& id) {
  const PendingIndex index = model_->find_pending_index(id);
  if (index == kNothing) return false;
  model_->groups[model_->classes[model_->pending[index].session_class].key.group].touch();
  forget_pending(*model_, index);
  return true;
}

bool Cluster::is_pending(const SessionId& id) const { return model_->find_pending_index(id) != kNothing; }

void Cluster::set_wait_cause(const SessionId& id, WaitCause cause) {
  const PendingIndex index = model_->find_pending_index(id);
  if (index == kNothing || model_->pending[index].wait_cause == cause) return;
  dequeue(*model_, index);
  model_->pending[index].wait_cause = cause;
  enqueue(*model_, index);
  Group& group = model_->groups[model_->classes[model_->pending[index].session_class].key.group];
  group.unexplained.push_back(id);
  group.touch();
}

void Cluster::set_recorded_reason(const SessionId& id, Reason reason) {
  if (Pending* pending = model_->find_pending(id)) pending->recorded = reason;
}

bool Cluster::needs_pass(std::string_view group) const {
  const auto found = model_->group_ids.find(group);
  return found != model_->group_ids.end() && model_->groups[found->second].dirty &&
         model_->groups[found->second].pending > 0;
}

std::vector<std::string> Cluster::groups_needing_pass() const {
  std::vector<std::string> names;
  for (const auto& [name, index] : model_->group_ids) {
    if (needs_pass(name)) names.push_back(name);
  }
  return names;
}

std::size_t Cluster::pending_count() const { return model_->pending_ids.size(); }

std::size_t Cluster::pending_count(std::string_view group) const {
  const auto found = model_->group_ids.find(group);
  return found == model_->group_ids.end() ? 0 : model_->groups[found->second].pending;
}

Amount Cluster::free_amount(AgentIndex agent, SlotId slot) const {
  return free_of(cells_of(model_->agents[agent], slot)) + held_amount(*model_, agent, std::nullopt, slot);
}

Amount Cluster::free_amount(AgentIndex agent, DeviceIndex device, SlotId slot) const {
  for (const SlotCell& cell : cells_of(model_->agents[agent], slot)) {
    if (cell.device == device) return cell.free() + held_amount(*model_, agent, device, slot);
  }
  return 0;
}

std::uint32_t Cluster::containers(AgentIndex agent) const {
  return model_->agents[agent].containers - held_containers(*model_, agent);
}

std::vector<KernelPlacement> Cluster::placements(const SessionId& id) const {
  std::vector<KernelPlacement> result;
  const LiveIndex index = model_->find_live(id);
  if (index == kNothing) return result;
  for (const Live::Kernel& kernel : model_->live[index].kernels.view()) {
    const std::span<const DeviceShare> devices = kernel.devices.view();
    result.push_back({kernel.agent, {devices.begin(), devices.end()}});
  }
  return result;
}

std::vector<SessionId> Cluster::queue(std::string_view group) const {
  std::vector<SessionId> ids;
  const auto found = model_->group_ids.find(group);
  if (found == model_->group_ids.end()) return ids;
  for (const PendingIndex index : in_order(*model_, model_->groups[found->second]))
    ids.push_back(model_->pending[index].id);
  return ids;
}

std::uint64_t Cluster::round_robin_index(std::string_view name) const {
  const auto found = model_->group_ids.find(name);
  return found == model_->group_ids.end() ? 0 : model_->groups[found->second].round_robin_index;
}

std::optional<ReservedPlace> Cluster::head_reservation(std::string_view name) const {
  const auto found = model_->group_ids.find(name);
  if (found == model_->group_ids.end()) return std::nullopt;
  const Group& group = model_->groups[found->second];
  if (!group.head_reservation || group.head_reservation->kernels.empty() ||
      group.head != group.head_reservation->head)
    return std::nullopt;
  return ReservedPlace{group.head, group.head_reservation->at, group.head_reservation->kernels};
}

std::size_t Cluster::pending_bytes() const {
  std::size_t bytes = model_->pending.capacity() * sizeof(Pending) + model_->pending_ids.bytes();
  bytes += model_->free_pending.capacity() * sizeof(PendingIndex);
  for (const Group& group : model_->groups) {
    bytes += group.unexplained.size() * sizeof(SessionId) + group.with_cause.bytes();
    for (const auto& [key, lane] : group.lanes) {
      for (const auto& [session_class, queue] : lane.queues) bytes += queue.bytes();
    }
  }
  return bytes;
}

std::size_t Cluster::agent_bytes() const {
  const std::vector<Agent>& agents = model_->agents;
  std::size_t bytes = agents.capacity() * sizeof(Agent);
  for (const Agent& agent : agents) {
    bytes += (agent.cells.capacity() + agent.base_used.capacity()) * sizeof(SlotCell) + agent.id.capacity() +
             agent.devices.capacity() * sizeof(AgentDevice) + agent.holders.capacity() * sizeof(LiveIndex);
    for (const AgentDevice& device : agent.devices) bytes += device.id.capacity();
  }
  for (const Group& group : model_->groups) {
    bytes += group.agents.capacity() * sizeof(std::pair<std::uint64_t, AgentIndex>);
    if (group.index) bytes += group.index->bytes();
  }
  return bytes;
}

}  // namespace berth::placement
