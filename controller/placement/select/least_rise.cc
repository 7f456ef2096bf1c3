#include "controller/placement/select/least_rise.h"

#include <algorithm>
#include <tuple>

#include "controller/placement/fragmentation/fragments.h"
#include "controller/placement/select/search_index.h"

namespace berth::placement {

namespace {

namespace frag = fragmentation;

constexpr Amount kMicroPerMilli = kUnit / 1000;
constexpr Amount kMostCpuMilli = 100'000'000;

std::int32_t milli(Amount amount, Amount most) {
  return static_cast<std::int32_t>(std::clamp<Amount>(amount / kMicroPerMilli, 0, most));
}

// The amounts on devices that count as the agent's GPUs; empty for an agent without devices.
std::span<const SlotCell> gpu_cells(const Group& group, const Agent& agent) {
  for (const SlotId slot : group.slot_order) {
    const std::span<const SlotCell> cells = cells_of(agent, slot);
    if (on_devices(cells)) return cells;
  }
  return {};
}

SlotId cpu_slot(const Model& model) {
  const auto found = model.slot_ids.find("cpu");
  return found == model.slot_ids.end() ? kNoSlot : found->second;
}

// The agent after `placements`; before them where there are none.
frag::Node node_after(const Model& model, const Group& group, const Agent& agent, const Need& need,
                      const std::vector<KernelPlacement>& placements) {
  frag::Node node;
  node.model = 1;
  const SlotId cpu = cpu_slot(model);
  Amount free_cpu = free_of(cells_of(agent, cpu));
  for (const SlotAmount& asked : need.sums) {
    if (asked.slot == cpu && !placements.empty()) free_cpu -= asked.amount;
  }
  node.cpu_milli = milli(free_cpu, kMostCpuMilli);
  for (const SlotCell& cell : gpu_cells(group, agent)) {
    if (cell.device == kAgentItself || node.gpus == frag::kMostGpus) break;
    Amount free = cell.free();
    for (const KernelPlacement& placement : placements) {
      for (const DeviceShare& share : placement.devices) {
        if (share.slot == cell.slot && share.device == cell.device) free -= share.amount;
      }
    }
    node.gpu_milli[static_cast<std::size_t>(node.gpus++)] = milli(free, frag::kWholeGpu);
  }
  return node;
}

// The agent as if it were empty.
frag::Node empty_node(const Model& model, const Group& group, const Agent& agent) {
  frag::Node node;
  node.model = 1;
  Amount cpu = 0;
  for (const SlotCell& cell : cells_of(agent, cpu_slot(model))) cpu += cell.capacity;
  node.cpu_milli = milli(cpu, kMostCpuMilli);
  for (const SlotCell& cell : gpu_cells(group, agent)) {
    if (cell.device == kAgentItself || node.gpus == frag::kMostGpus) break;
    node.gpu_milli[static_cast<std::size_t>(node.gpus++)] = milli(cell.capacity, frag::kWholeGpu);
  }
  return node;
}

// Smaller is better.
std::int64_t rise(const Group& group, const frag::Node& before, const frag::Node& after) {
  const RiseSettings& settings = *group.rise;
  if (group.policy.select == Select::kBalanced)
    return frag::potential(after, settings.weights) - frag::potential(before, settings.weights);
  const frag::ClassMix& mix = settings.popular;
  return 100 - frag::fgd_score(frag::fragments(before, mix), frag::fragments(after, mix), mix.total);
}

// Moves a fraction of one device to the device where the rise is least, the first of equal ones; returns that
// rise.
std::int64_t choose_device(const Model& model, const Group& group, const Agent& agent, const Need& need,
                           std::vector<KernelPlacement>* placements) {
  const frag::Node before = node_after(model, group, agent, need, {});
  const std::span<const SlotCell> cells = gpu_cells(group, agent);
  const bool one = placements->size() == 1 && placements->front().devices.size() == 1 && !cells.empty();
  if (!one || placements->front().devices.front().slot != cells.front().slot ||
      placements->front().devices.front().amount >= kUnit)
    return rise(group, before, node_after(model, group, agent, need, *placements));
  DeviceShare& share = placements->front().devices.front();
  DeviceIndex best = kAgentItself;
  std::int64_t least = INT64_MAX;
  Amount last = -1;
  for (const SlotCell& cell : cells) {
    if (cell.device == kAgentItself || cell.free() < share.amount || cell.free() == last) continue;
    last = cell.free();  // an equal neighbour gives the same rise
    share.device = cell.device;
    const std::int64_t rises = rise(group, before, node_after(model, group, agent, need, *placements));
    if (rises >= least) continue;
    least = rises;
    best = cell.device;
  }
  share.device = best;
  return least;
}

}  // namespace

RiseSettings make_rise_settings(const GroupPolicy& policy) {
  RiseSettings settings;
  const frag::ClassMix all = frag::mix_from(policy.mix);
  if (policy.select == Select::kFgd) settings.popular = frag::most_popular(all, 95);
  if (policy.select == Select::kBalanced)
    settings.weights = frag::make_weights(policy.shape, all, frag::fill_values(all));
  return settings;
}

std::vector<frag::Node> empty_nodes(const Model& model, std::string_view name) {
  std::vector<frag::Node> nodes;
  const auto found = model.group_ids.find(name);
  if (found == model.group_ids.end()) return nodes;
  const Group& group = model.groups[found->second];
  for (const auto& [label, index] : group.agents)
    if (model.agents[index].takes_more()) nodes.push_back(empty_node(model, group, model.agents[index]));
  return nodes;
}

std::optional<std::int64_t> rise_on(const Model& model, const Group& group, AgentIndex index,
                                    const Need& need, std::vector<KernelPlacement>* placements) {
  const Agent& agent = model.agents[index];
  if (group.index->fitter().fit(model, agent, need, placements) != Code::kNone) return std::nullopt;
  return choose_device(model, group, agent, need, placements);
}

AgentIndex find_least_rise(const Model& model, const Group& group, const Choice& choice, const Need& need,
                           std::vector<KernelPlacement>* placements) {
  const auto rate = [&](AgentIndex index) {
    return rise_on(model, group, index, need, placements).value_or(RatingIndex::kUnfit);
  };
  AgentIndex best = kNoAgent;
  std::tuple<Tier, std::int64_t, std::uint64_t> best_rank;
  const auto see = [&](AgentIndex index, Tier tier, std::int64_t rises) {
    const std::tuple rank{tier, rises, model.agents[index].label};
    if (best != kNoAgent && best_rank <= rank) return;
    best = index;
    best_rank = rank;
  };
  for (const AgentIndex index : choice.special()) {
    if (choice.refusal(index) != Code::kNone) continue;
    const std::int64_t rises = rate(index);
    if (rises != RatingIndex::kUnfit) see(index, choice.tier(index), rises);
  }
  if (choice.rest_allowed() && (best == kNoAgent || choice.rest_tier() <= std::get<Tier>(best_rank))) {
    RatingIndex& ratings = group.index->ratings();
    const RatingIndex::Rated rest = ratings.least(ratings.row_of(model, group, need, rate), choice.special());
    if (rest.agent != kNoAgent) see(rest.agent, choice.rest_tier(), rest.rating);
  }
  placements->clear();
  if (best != kNoAgent) rate(best);
  return best;
}

}  // namespace berth::placement
