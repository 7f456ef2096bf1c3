// What groups that select by fragmentation are asked for, and what they learned of it.
#include <algorithm>

#include "events/base/slots/slot_name.h"
#include "projections/fold/event_context.h"

namespace berth::projections {
namespace {

constexpr int kShapeNumbers = 6;
constexpr std::int32_t kWholeDeviceMilli = 1000;

// Every count is halved; a class of which none is left is dropped.
std::int64_t halve_counts(State& state, const std::string& group) {
  std::vector<std::string> keys;
  state.class_counts.for_each_unordered([&](const ClassCountRow& row) {
    if (row.group == group) keys.push_back(row.key());
  });
  std::sort(keys.begin(), keys.end());
  std::int64_t left = 0;
  for (const std::string& key : keys) {
    ClassCountRow row = *state.class_counts.find(key);
    row.count /= 2;
    left += row.count;
    if (row.count == 0)
      state.class_counts.erase(key);
    else
      state.class_counts.put(std::move(row));
  }
  return left;
}

// What a kernel may write is no device of its class.
v1::RoleSpec without_disk(const v1::RoleSpec& role) {
  v1::RoleSpec rest = role;
  auto& slots = *rest.mutable_slots();
  slots.erase(
      std::remove_if(slots.begin(), slots.end(), [](const auto& slot) { return slot.slot() == kDiskSlot; }),
      slots.end());
  return rest;
}

}  // namespace

void count_request(EventContext& c, const v1::SessionSpec& spec) {
  const GroupRow* group = c.state.groups.find(spec.group());
  if (group == nullptr || !counts_requests(group->def)) return;
  const MixRow* known = c.state.mixes.find(spec.group());
  MixRow mix = known != nullptr ? *known : MixRow{spec.group(), 0, 0};
  ++mix.sessions;
  for (const auto& role : spec.roles()) {
    if (role.count() == 0) continue;
    ClassCountRow row{spec.group(), class_of(group->def, without_disk(role)), 0};
    if (const ClassCountRow* counted = c.state.class_counts.find(row.key())) row.count = counted->count;
    const auto count = std::min<std::int64_t>(role.count(), kMostCounted);
    row.count += count;
    mix.counted += count;
    c.state.class_counts.put(std::move(row));
  }
  while (mix.counted > kMostCounted) mix.counted = halve_counts(c.state, spec.group());
  c.state.mixes.put(std::move(mix));
}

void forget_group(State& state, const std::string& group) {
  while (halve_counts(state, group) != 0) {}
  state.mixes.erase(group);
  state.learned.erase(group);
  state.turns.erase(group);
}

Forbidden apply(EventContext& c, const v1::SelectionLearned& e) {
  if (c.state.groups.find(e.group()) == nullptr) return "no resource group is named " + e.group();
  if (e.shape_size() != 0 && e.shape_size() != kShapeNumbers) return "a shape is six numbers, or none";
  for (const auto& asked : e.classes())
    if (asked.count() <= 0 || asked.cpu_milli() < 0 || asked.gpus() < 0 || asked.gpu_milli() < 0 ||
        asked.gpu_milli() > kWholeDeviceMilli)
      return "a class out of range";
  c.state.learned.put({e, c.time});
  MixRow mix =
      c.state.mixes.find(e.group()) != nullptr ? *c.state.mixes.find(e.group()) : MixRow{e.group(), 0, 0};
  mix.sessions = 0;
  c.state.mixes.put(std::move(mix));
  return {};
}

}  // namespace berth::projections
