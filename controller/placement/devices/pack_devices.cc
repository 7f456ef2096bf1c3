#include "controller/placement/devices/pack_devices.h"

#include <algorithm>

namespace berth::placement {

bool DevicePacker::pack(const MapPolicy& policy, std::span<const DeviceFree> devices,
                        std::span<const Amount> asks, std::vector<std::vector<MapShare>>* shares) {
  left_.assign(devices.begin(), devices.end());
  if (in_order(policy, asks, shares)) return true;
  const bool whole = policy.kind != SlotKind::kBytes && policy.quantum % kUnit == 0;
  if (whole || policy.allow_fragments || asks.size() < 2) return false;
  left_.assign(devices.begin(), devices.end());
  if (!search(policy, asks)) return false;
  shares->assign(asks.size(), {});
  for (std::size_t kernel = 0; kernel < asks.size(); ++kernel) {
    for (const auto& [device, quanta] : given_[kernel])
      (*shares)[kernel].push_back({device, quanta * policy.quantum});
  }
  return true;
}

bool DevicePacker::in_order(const MapPolicy& policy, std::span<const Amount> asks,
                            std::vector<std::vector<MapShare>>* shares) {
  shares->assign(asks.size(), {});
  for (std::size_t kernel = 0; kernel < asks.size(); ++kernel) {
    if (asks[kernel] == 0) continue;
    if (mapper_.map(policy, left_, asks[kernel], &(*shares)[kernel]) != MapEnd::kDone) return false;
    for (const MapShare& share : (*shares)[kernel]) left_[share.device].free -= share.amount;
  }
  return true;
}

bool DevicePacker::search(const MapPolicy& policy, std::span<const Amount> asks) {
  quanta_.clear();
  parts_.clear();
  failed_.clear();
  states_ = 0;
  largest_ = 0;
  std::int64_t sum = 0;
  for (const DeviceFree& device : left_) {
    quanta_.push_back(device.free <= 0 ? 0 : device.free / policy.quantum);
    largest_ = std::max(largest_, device.capacity / policy.quantum);
    sum += quanta_.back();
  }
  for (std::size_t kernel = 0; kernel < asks.size(); ++kernel) {
    const std::int64_t asked = asks[kernel] / policy.quantum;
    if (asks[kernel] == 0) continue;
    if (asked <= 0 || largest_ <= 0) return false;
    parts_.push_back({kernel, asked, 0, 0, 0});
    sum -= asked;
  }
  if (sum < 0) return false;
  std::sort(parts_.begin(), parts_.end(), [](const Parts& a, const Parts& b) {
    return a.asked != b.asked ? a.asked > b.asked : a.kernel < b.kernel;
  });
  given_.assign(asks.size(), {});
  return choose_counts(0, policy.spread == Spread::kFill);
}

// On how many devices each kernel stands: as few as could do, or (even) more of them; never more than one
// where one could do.
bool DevicePacker::choose_counts(std::size_t at, bool fill) {
  if (at == parts_.size()) {
    failed_.clear();
    return fill_device(0);
  }
  Parts& kernel = parts_[at];
  const auto devices = static_cast<std::int64_t>(quanta_.size());
  const std::int64_t fewest = (kernel.asked + largest_ - 1) / largest_;
  const std::int64_t most = fewest == 1 || fill ? fewest : devices;
  for (std::int64_t count = fewest; count <= most && count <= devices && count <= kernel.asked; ++count) {
    kernel.base = kernel.asked / count;
    kernel.more = kernel.asked % count;
    kernel.plain = count - kernel.more;
    if (choose_counts(at + 1, fill)) return true;
    if (states_ > kMostStates) return false;
  }
  return false;
}

// Kernels that ask the same are alike: a state failed if it did with any of them in each role.
bool DevicePacker::known_to_fail(std::size_t device) {
  std::vector<Parts> state = parts_;
  for (Parts& parts : state) parts.kernel = 0;
  std::sort(state.begin(), state.end());
  return !failed_.emplace(device, std::move(state)).second;
}

bool DevicePacker::fill_device(std::size_t device) {
  const bool done =
      std::all_of(parts_.begin(), parts_.end(), [](const Parts& p) { return p.more + p.plain == 0; });
  if (done) return true;
  if (device == quanta_.size() || ++states_ > kMostStates || known_to_fail(device)) return false;
  return give_parts(device, 0, quanta_[device]);
}

// This device gives a part to kernel `at` if it can, or does not, and goes on with the next one.
bool DevicePacker::give_parts(std::size_t device, std::size_t at, std::int64_t room) {
  if (at == parts_.size()) return fill_device(device + 1);
  for (const bool larger : {true, false}) {
    std::int64_t& left = larger ? parts_[at].more : parts_[at].plain;
    const std::int64_t size = parts_[at].base + (larger ? 1 : 0);
    if (left == 0 || size > room) continue;
    const std::size_t kernel = parts_[at].kernel;
    --left;
    given_[kernel].emplace_back(static_cast<std::uint32_t>(device), size);
    if (give_parts(device, at + 1, room - size)) return true;
    given_[kernel].pop_back();
    ++left;
  }
  return give_parts(device, at + 1, room);
}

}  // namespace berth::placement
