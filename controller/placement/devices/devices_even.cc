// Fractions: the even spread, and the guard against fragments.
#include <algorithm>

#include "controller/placement/devices/devices.h"

namespace berth::placement {

// Up to what one device has: the tightest device that has it (even; the last of equals), or the freest (fill;
// the first).
bool DeviceMapper::one_device(const MapPolicy& policy, std::int64_t asked) {
  const bool tightest = policy.spread == Spread::kEven;
  const Candidate* best = nullptr;
  for (const Candidate& c : candidates_) {
    if (c.quanta < asked) continue;
    if (best == nullptr || (tightest ? c.quanta <= best->quanta : c.quanta > best->quanta)) best = &c;
  }
  if (best == nullptr) return false;
  given_.push_back({best->device, asked});
  return true;
}

// The shares of the `count` freest devices, as level as their room allows, ascending, in shares_; returns the
// difference between the largest and the smallest, or -1 when they have not enough. REQUIRES: candidates_
// sorted by free, descending.
std::int64_t DeviceMapper::level(std::size_t count, std::int64_t asked) {
  shares_.clear();
  std::int64_t left = asked;
  for (std::size_t i = 0; i < count; ++i) {  // from the tightest: it gives its part, or all it has
    const Candidate& device = candidates_[count - 1 - i];
    const std::int64_t share = std::min(device.quanta, left / static_cast<std::int64_t>(count - i));
    shares_.push_back(share);
    left -= share;
  }
  return left == 0 ? shares_.back() - shares_.front() : -1;
}

// Gives best_ (ascending) to devices: each share to the tightest device that has room, the last of equals.
void DeviceMapper::match_smallest() {
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    if (a.quanta != b.quanta) return a.quanta < b.quanta;
    return a.near != b.near ? a.near : a.device > b.device;
  });
  std::size_t next = 0;
  for (const std::int64_t share : best_) {
    while (candidates_[next].quanta < share) ++next;
    given_.push_back({candidates_[next].device, share});
    ++next;
  }
}

// Preference: most even, then fewest devices, then the tightest ones, so that little is left below the
// smallest unit.
bool DeviceMapper::even(std::int64_t asked, std::int64_t min_quanta) {
  MapPolicy tight;
  if (one_device(tight, asked)) return true;  // one share is as even as it gets
  sort_by_free_descending();
  std::int64_t best_difference = -1;
  for (std::size_t count = 2; count <= candidates_.size(); ++count) {
    if (static_cast<std::int64_t>(count) > asked) break;
    const std::int64_t difference = level(count, asked);
    if (difference < 0 || shares_.front() < std::max<std::int64_t>(min_quanta, 1)) continue;
    if (best_difference >= 0 && difference >= best_difference) continue;
    best_difference = difference;
    best_ = shares_;
  }
  if (best_difference < 0) return false;
  match_smallest();
  return true;
}

// `count` devices, equal shares, the rest of the division as one quantum more on some.
bool DeviceMapper::equal_shares(const MapPolicy& policy, std::int64_t asked, std::int64_t count) {
  const std::int64_t base = asked / count;
  const std::int64_t more = asked % count;
  if (base == 0 || base * policy.quantum < policy.min_unit) return false;
  const auto size = static_cast<std::size_t>(count);
  if (candidates_[size - 1].quanta < base) return false;
  if (more > 0 && candidates_[static_cast<std::size_t>(more) - 1].quanta < base + 1) return false;
  if (policy.spread == Spread::kFill) {
    for (std::size_t i = 0; i < size; ++i) {
      given_.push_back({candidates_[i].device, base + (static_cast<std::int64_t>(i) < more ? 1 : 0)});
    }
    return true;
  }
  best_.assign(size - static_cast<std::size_t>(more), base);
  best_.insert(best_.end(), static_cast<std::size_t>(more), base + 1);
  match_smallest();
  return true;
}

// n = ceil(asked / largest device): exactly n devices (fill), n or more (even), one where one could do. All
// shares equal but for one quantum: a request never ends in crumbs over many devices.
bool DeviceMapper::guarded(const MapPolicy& policy, std::int64_t asked, std::int64_t largest_capacity) {
  if (largest_capacity <= 0) return false;
  const std::int64_t fewest = (asked + largest_capacity - 1) / largest_capacity;
  if (fewest == 1) return one_device(policy, asked);
  sort_by_free_descending();
  const auto devices = static_cast<std::int64_t>(candidates_.size());
  const std::int64_t most = policy.spread == Spread::kFill ? std::min(fewest, devices) : devices;
  for (std::int64_t count = fewest; count <= most; ++count) {
    if (equal_shares(policy, asked, count)) return true;
  }
  return false;
}

}  // namespace berth::placement
