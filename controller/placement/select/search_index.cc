#include "controller/placement/select/search_index.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "controller/placement/select/score.h"

namespace berth::placement {

namespace {

constexpr std::uint64_t bit_of(SlotId slot) { return 1ull << slot; }

// The group's slot types that stand on a device of any of its agents.
std::uint64_t slots_on_devices(const Model& model, const Group& group) {
  std::uint64_t mask = 0;
  for (const auto& [label, index] : group.agents) {
    for (const SlotCell& cell : model.agents[index].cells) {
      if (cell.device != kAgentItself) mask |= bit_of(cell.slot);
    }
  }
  return mask;
}

}  // namespace

void SearchIndex::rebuild(Model& model, const Group& group) {
  ratings_.forget();
  least_first_ = group.policy.select == Select::kConcentrated || group.policy.select == Select::kCustom;
  key_ = static_cast<std::uint32_t>(group.rated);
  const std::uint64_t on_device = slots_on_devices(model, group);
  device_slots_.clear();
  device_slot_.assign(model.slots.size(), kNothing);
  for (SlotId slot = 0; slot < model.slots.size(); ++slot) {
    if ((on_device & bit_of(slot)) == 0) continue;
    const MapPolicy& policy = group.map_policies[slot];
    DeviceSlot made;
    made.column = static_cast<std::uint32_t>(1 + 2 * device_slots_.size());
    made.quantum = policy.quantum;
    made.in_sum = policy.allow_fragments || (policy.kind != SlotKind::kBytes && policy.quantum % kUnit == 0);
    made.smallest_capacity = made.in_sum ? 0 : std::numeric_limits<Amount>::max();
    device_slot_[slot] = static_cast<std::uint32_t>(device_slots_.size());
    device_slots_.push_back(made);
  }
  const auto others = static_cast<std::uint32_t>(1 + 2 * device_slots_.size());
  const auto unrated = static_cast<std::uint32_t>(model.slots.size()) - key_;
  width_ = others + unrated + key_;
  rated_ = 0;
  slot_column_.assign(model.slots.size(), 0);
  for (std::uint32_t i = 0; i < group.slot_order.size(); ++i) {
    const SlotId slot = group.slot_order[i];
    slot_column_[slot] = others + (i < key_ ? unrated + i : i - key_);
    if (i < key_) rated_ |= bit_of(slot);
  }
  new_row_.assign(width_ + 1, 0);
  buckets_.clear();
  bucket_ids_.clear();
  rows_.clear();
  free_entries_.clear();
  for (const auto& [label, index] : group.agents) model.agents[index].entry = kNothing;
  for (const auto& [label, index] : group.agents) changed(model, index);
}

// What devices could give: the most one of them, and a bound for several (n equal shares, all but one
// quantum).
bool SearchIndex::read_devices(std::span<const SlotCell> cells, std::int64_t* row) {
  const std::uint32_t place = device_slot_[cells.front().slot];
  if (place == kNothing) return false;
  DeviceSlot& slot = device_slots_[place];
  frees_.clear();
  Amount largest_capacity = 0;
  std::int64_t sum = 0;
  for (const SlotCell& cell : cells) {
    if (cell.device == kAgentItself) continue;
    largest_capacity = std::max(largest_capacity, cell.capacity);
    const std::int64_t quanta = cell.free() <= 0 ? 0 : cell.free() / slot.quantum;
    if (quanta > 0) frees_.push_back(quanta);
    sum += quanta;
  }
  if (slot.in_sum) {
    row[slot.column] = row[slot.column + 1] = sum * slot.quantum;
    return true;
  }
  slot.smallest_capacity = std::min(slot.smallest_capacity, largest_capacity / slot.quantum * slot.quantum);
  std::sort(frees_.begin(), frees_.end(), std::greater<>());
  std::int64_t several = 0;
  for (std::size_t n = 1; n <= frees_.size(); ++n) {
    const auto count = static_cast<std::int64_t>(n);
    several = std::max(several, count * frees_[n - 1] + count - 1);
  }
  row[slot.column] = (frees_.empty() ? 0 : frees_.front()) * slot.quantum;
  row[slot.column + 1] = std::min(several, sum) * slot.quantum;
  return true;
}

// False when the agent has a slot on devices that the rows have no column for.
bool SearchIndex::read_row(const Model& model, const Group& group, const Agent& agent, BucketKey* key,
                           std::int64_t* row) {
  (void)model;
  (void)group;
  std::fill(row, row + width_, 0);
  *key = {agent.arch, 0, 0};
  row[0] = static_cast<std::int64_t>(agent.max_containers) - agent.containers;
  const std::span<const SlotCell> cells = agent.cells;
  for (std::size_t begin = 0; begin < cells.size();) {
    std::size_t end = begin;
    Amount sum = 0;
    while (end < cells.size() && cells[end].slot == cells[begin].slot) sum += cells[end++].free();
    const std::span<const SlotCell> run = cells.subspan(begin, end - begin);
    const SlotId slot = run.front().slot;
    key->has |= bit_of(slot) & rated_;
    if (sum > 0) key->has_free |= bit_of(slot) & rated_;
    row[slot_column_[slot]] = sum;
    if (on_devices(run) && !read_devices(run, row)) return false;
    begin = end;
  }
  row[width_] = static_cast<std::int64_t>(agent.label);
  if (!least_first_) row[width_] = -row[width_];  // searched from the end, the smaller id still comes first
  return true;
}

std::uint32_t SearchIndex::bucket_of(const BucketKey& key) {
  const auto [found, is_new] = bucket_ids_.emplace(key, static_cast<std::uint32_t>(buckets_.size()));
  if (is_new) buckets_.push_back({key, std::make_unique<AgentTree>(width_, key_)});
  return found->second;
}

void SearchIndex::changed(Model& model, AgentIndex index) {
  Agent& agent = model.agents[index];
  ratings_.changed(index);
  if (!agent.takes_more()) return remove(model, index);
  BucketKey key;
  const Group& group = model.groups[agent.group];
  if (!read_row(model, group, agent, &key, new_row_.data())) return rebuild(model, group);
  if (agent.entry == kNothing) {
    if (free_entries_.empty()) {
      agent.entry = static_cast<std::uint32_t>(rows_.size() / (width_ + 2));
      rows_.resize(rows_.size() + width_ + 2);
    } else {
      agent.entry = free_entries_.back();
      free_entries_.pop_back();
    }
    stored_bucket(agent.entry) = kNothing;
  }
  std::int64_t* stored = stored_row(agent.entry);
  const std::uint32_t bucket = bucket_of(key);
  const auto before = static_cast<std::uint32_t>(stored_bucket(agent.entry));
  if (before == bucket && std::equal(new_row_.begin(), new_row_.end(), stored)) return;
  if (before != kNothing) buckets_[before].tree->erase(stored);
  std::copy(new_row_.begin(), new_row_.end(), stored);
  stored_bucket(agent.entry) = bucket;
  buckets_[bucket].tree->insert(stored, index);
}

void SearchIndex::remove(Model& model, AgentIndex index) {
  Agent& agent = model.agents[index];
  ratings_.changed(index);
  if (agent.entry == kNothing) return;
  buckets_[static_cast<std::size_t>(stored_bucket(agent.entry))].tree->erase(stored_row(agent.entry));
  free_entries_.push_back(agent.entry);
  agent.entry = kNothing;
}

std::string SearchIndex::broken_row(const Model& model, AgentIndex index) {
  const Agent& agent = model.agents[index];
  const std::string where = "agent " + agent.id + ": ";
  if (!agent.takes_more())
    return agent.entry == kNothing ? std::string()
                                   : where + "it takes no session, but is in the search index";
  if (agent.entry == kNothing || agent.entry >= rows_.size() / (width_ + 2))
    return where + "it takes sessions, but is not in the search index";
  BucketKey key;
  if (!read_row(model, model.groups[agent.group], agent, &key, new_row_.data()))
    return where + "the search index has no column for one of its slots";
  const std::int64_t* stored = stored_row(agent.entry);
  const auto bucket = static_cast<std::size_t>(stored[width_ + 1]);
  if (bucket >= buckets_.size() || buckets_[bucket].key != key)
    return where + "it stands in another bucket of the search index";
  if (!std::equal(new_row_.begin(), new_row_.end(), stored))
    return where + "its row in the search index is not what it has";
  return buckets_[bucket].tree->finds(stored, index) ? std::string() : where + "a search does not find it";
}

std::size_t SearchIndex::rows() const {
  std::size_t sum = 0;
  for (const Bucket& bucket : buckets_) sum += bucket.tree->size();
  return sum;
}

void SearchIndex::read_asks(const Model& model, const Need& need) {
  asks_.clear();
  for (const SlotAmount& asked : need.sums) asks_.push_back({slot_column_[asked.slot], asked.amount});
  for (const KernelCount& kernel : need.kernels) {
    for (const SlotAmount& asked : model.requirements[kernel.requirement].slots) {
      if (device_slot_[asked.slot] == kNothing) continue;
      const DeviceSlot& slot = device_slots_[device_slot_[asked.slot]];
      const Amount amount = asked.amount / slot.quantum * slot.quantum;
      const bool one_device = amount <= slot.smallest_capacity;
      asks_.push_back({slot.column + (one_device && !slot.in_sum ? 0 : 1), amount});
    }
  }
  asks_.push_back({0, need.containers});
}

std::size_t SearchIndex::bytes() const {
  std::size_t sum = rows_.capacity() * sizeof(std::int64_t) + ratings_.bytes();
  for (const Bucket& bucket : buckets_) sum += bucket.tree->bytes();
  return sum;
}

AgentIndex SearchIndex::find(const Model& model, const Group& group, const Need& need,
                             std::span<const AgentIndex> except, std::vector<KernelPlacement>* placements) {
  std::uint64_t wanted = 0;
  for (const SlotAmount& asked : need.sums) wanted |= bit_of(asked.slot) & rated_;
  candidates_.clear();
  for (std::uint32_t i = 0; i < buckets_.size(); ++i) {
    const Bucket& bucket = buckets_[i];
    if (bucket.tree->empty() || (bucket.key.has_free & wanted) != wanted) continue;
    if (need.arch != 0 && need.arch != bucket.key.arch) continue;
    candidates_.push_back({static_cast<std::uint32_t>(std::popcount(bucket.key.has_free & ~wanted)), i});
  }
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return a.unused != b.unused ? a.unused < b.unused : a.bucket < b.bucket;
  });
  read_asks(model, need);
  const auto accept = [&](AgentIndex agent) {
    if (!except.empty() && std::binary_search(except.begin(), except.end(), agent)) return false;
    return fitter_.fit_amounts(model, model.agents[agent], need, placements) == Code::kNone;
  };
  AgentIndex best = kNoAgent;
  bool searched_on = false;  // then the placements are not the best agent's
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (best != kNoAgent && candidates_[i].unused != candidates_[i - 1].unused) break;
    searched_on = best != kNoAgent;
    const AgentIndex found = buckets_[candidates_[i].bucket].tree->find(asks_, !least_first_, accept);
    if (found == kNoAgent) continue;
    if (best == kNoAgent || preferred(group, need, model.agents[found], model.agents[best])) best = found;
  }
  if (searched_on) fitter_.fit_amounts(model, model.agents[best], need, placements);
  return best;
}

}  // namespace berth::placement
