#include "controller/placement/devices/devices.h"

#include <algorithm>

namespace berth::placement {

MapEnd DeviceMapper::map_on(const MapPolicy& policy, std::span<const DeviceFree> devices, Amount asked,
                            Where where, std::int32_t numa, std::vector<MapShare>* shares) {
  shares->clear();
  given_.clear();
  candidates_.clear();
  const Amount quantum = std::max<Amount>(policy.quantum, 1);
  const std::int64_t quanta = asked / quantum;
  if (quanta <= 0) return MapEnd::kInvalid;
  if (policy.kind == SlotKind::kUnique && asked != kUnit) return MapEnd::kInvalid;
  std::int64_t sum = 0;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    largest = std::max(largest, devices[i].capacity / quantum);
    if ((where == Where::kNear && !devices[i].near) || (where == Where::kNode && devices[i].numa != numa))
      continue;
    const std::int64_t free = devices[i].free <= 0 ? 0 : devices[i].free / quantum;
    if (free <= 0 || free * quantum < policy.min_unit) continue;
    candidates_.push_back({static_cast<std::uint32_t>(i), free, devices[i].near,
                           where == Where::kNear ? turn_of(devices, i) : 0});
    sum += free;
  }
  if (sum < quanta) return MapEnd::kInsufficient;
  const bool whole = policy.kind != SlotKind::kBytes && quantum % kUnit == 0;
  const std::int64_t min_quanta = (policy.min_unit + quantum - 1) / quantum;
  bool done;
  if (whole) {
    done = discrete(policy, quanta);
  } else if (!policy.allow_fragments) {
    done = guarded(policy, quanta, largest);
  } else {
    done = policy.spread == Spread::kFill ? fill(policy, quanta) : even(quanta, min_quanta);
  }
  if (!done) return MapEnd::kFragmented;
  std::sort(given_.begin(), given_.end(),
            [](const Candidate& a, const Candidate& b) { return a.device < b.device; });
  for (const Candidate& part : given_) shares->push_back({part.device, part.quanta * quantum});
  return MapEnd::kDone;
}

void DeviceMapper::sort_by_free_descending() {
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    if (a.quanta != b.quanta) return a.quanta > b.quanta;
    if (a.near != b.near) return a.near;
    return a.turn != b.turn ? a.turn < b.turn : a.device < b.device;
  });
}

// Whole units. Even: one at a time in turn, the freest device first. Fill: the freest device until it is
// full.
bool DeviceMapper::discrete(const MapPolicy& policy, std::int64_t asked) {
  sort_by_free_descending();
  if (policy.spread == Spread::kFill) return fill(policy, asked);
  // In turn until all is given = a common level, the rest of the division to the first that still have room.
  std::int64_t low = 0;
  std::int64_t high = candidates_.front().quanta;
  const auto given_at = [&](std::int64_t level) {
    std::int64_t sum = 0;
    for (const Candidate& c : candidates_) sum += std::min(c.quanta, level);
    return sum;
  };
  while (low < high) {  // highest level whose sum is not more than asked
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (given_at(middle) <= asked)
      low = middle;
    else
      high = middle - 1;
  }
  std::int64_t rest = asked - given_at(low);
  for (const Candidate& c : candidates_) {
    std::int64_t share = std::min(c.quanta, low);
    if (rest > 0 && c.quanta > share) {
      ++share;
      --rest;
    }
    if (share > 0) given_.push_back({c.device, share});
  }
  return rest == 0;
}

bool DeviceMapper::fill(const MapPolicy& policy, std::int64_t asked) {
  sort_by_free_descending();
  const std::int64_t least =
      std::max<std::int64_t>(1, (policy.min_unit + policy.quantum - 1) / policy.quantum);
  for (const Candidate& c : candidates_) {
    const std::int64_t share = std::min(c.quanta, asked);
    if (share < least) break;
    given_.push_back({c.device, share});
    asked -= share;
    if (asked == 0) break;
  }
  return asked == 0;
}

}  // namespace berth::placement
