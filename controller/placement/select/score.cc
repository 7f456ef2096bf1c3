#include "controller/placement/select/score.h"

#include <algorithm>

#include "controller/placement/model/catalog.h"
#include "controller/placement/select/fit.h"

namespace berth::placement {

namespace {

std::size_t rank_of(const std::string& slot, const std::vector<std::string>& priority) {
  for (std::size_t i = 0; i < priority.size(); ++i) {
    if (slot == priority[i] || slot.starts_with(priority[i] + ".")) return i;
  }
  return priority.size();
}

bool asked(const Need& need, SlotId slot) {
  return std::any_of(need.sums.begin(), need.sums.end(), [&](const SlotAmount& a) { return a.slot == slot; });
}

}  // namespace

std::vector<SlotId> slot_order(const Model& model, const GroupPolicy& policy) {
  std::vector<SlotId> order(model.slots.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<SlotId>(i);
  std::sort(order.begin(), order.end(), [&](SlotId a, SlotId b) {
    const bool rated_a = is_rated(model, policy, a);
    const bool rated_b = is_rated(model, policy, b);
    if (rated_a != rated_b) return rated_a;
    const std::string& name_a = model.slots[a].name;
    const std::string& name_b = model.slots[b].name;
    const std::size_t rank_a = rank_of(name_a, policy.slot_priority);
    const std::size_t rank_b = rank_of(name_b, policy.slot_priority);
    return rank_a != rank_b ? rank_a < rank_b : name_a < name_b;
  });
  return order;
}

std::uint32_t unused_capabilities(const Agent& agent, const Need& need, std::span<const SlotId> rated) {
  std::uint32_t unused = 0;
  for (const SlotId slot : rated) {
    if (!asked(need, slot) && free_of(cells_of(agent, slot)) > 0) ++unused;
  }
  return unused;
}

bool preferred(const Group& group, const Need& need, const Agent& a, const Agent& b) {
  const std::uint32_t unused_a = unused_capabilities(a, need, rated_slots(group));
  const std::uint32_t unused_b = unused_capabilities(b, need, rated_slots(group));
  if (unused_a != unused_b) return unused_a < unused_b;
  const bool least = group.policy.select == Select::kConcentrated || group.policy.select == Select::kCustom;
  for (const SlotId slot : rated_slots(group)) {
    const auto cells_a = cells_of(a, slot);
    const auto cells_b = cells_of(b, slot);
    if (cells_a.empty() != cells_b.empty()) return cells_b.empty();  // the one that has it, either way
    const Amount free_a = free_of(cells_a);
    const Amount free_b = free_of(cells_b);
    if (free_a != free_b) return (free_a < free_b) == least;
  }
  return a.label < b.label;
}

}  // namespace berth::placement
