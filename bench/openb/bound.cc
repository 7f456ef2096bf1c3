#include "bench/openb/bound.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace berth::placement::fragmentation {

namespace {

constexpr std::int64_t kFine = 1000;  // prices in thousandths of a milli
constexpr int kBoundRounds = 300;

struct Item {
  std::int64_t milli = 0;
  std::int64_t arrived = 0;
  std::int64_t price = 0;
  std::int64_t used = 0;  // in the dearest filling
};

// The dearest filling of one device, exactly; fills in `used`.
std::int64_t dearest_filling(std::vector<Item>& items) {
  std::array<std::int64_t, kWholeGpu + 1> values{};
  std::array<std::size_t, kWholeGpu + 1> chosen{};
  for (std::size_t room = 1; room < values.size(); ++room) {
    values[room] = values[room - 1];
    for (std::size_t i = 0; i < items.size() && items[i].milli <= static_cast<std::int64_t>(room); ++i) {
      const std::int64_t value = values[room - static_cast<std::size_t>(items[i].milli)] + items[i].price;
      if (value <= values[room]) continue;
      values[room] = value;
      chosen[room] = i + 1;
    }
  }
  for (Item& item : items) item.used = 0;
  for (std::size_t room = kWholeGpu; room > 0;) {
    Item* item = chosen[room] > 0 ? &items[chosen[room] - 1] : nullptr;
    if (item != nullptr) ++item->used;
    room -= item != nullptr ? static_cast<std::size_t>(item->milli) : 1;
  }
  return values.back();
}

}  // namespace

std::int64_t allocation_bound(std::span<const Node> nodes, std::span<const Ask> classes,
                              std::span<const std::uint32_t> arrivals) {
  std::int64_t devices = 0;
  for (const Node& node : nodes) devices += node.gpus;
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::uint32_t index : arrivals) {
    if (classes[index].gpus > 0) counts[classes[index].gpu_milli] += classes[index].gpus;
  }
  std::vector<Item> items;
  items.reserve(counts.size());
  for (const auto& [milli, arrived] : counts) items.push_back({milli, arrived, milli * kFine, 0});
  std::int64_t best = devices * kWholeGpu * kFine;
  for (int round = 0; round < kBoundRounds; ++round) {
    std::int64_t bound = devices * dearest_filling(items);
    for (const Item& item : items)
      bound += item.arrived * std::max<std::int64_t>(0, item.milli * kFine - item.price);
    best = std::min(best, bound);
    for (Item& item : items) {
      // Slope of the bound in this price: what the filling uses, less what would be taken that is dearer than
      // its price.
      const std::int64_t wanted = item.price < item.milli * kFine ? item.arrived : 0;
      const std::int64_t slope = devices * item.used - wanted;
      const std::int64_t step =
          slope * item.milli * kFine / (std::max<std::int64_t>(devices, 1) * 4 * (round + 10));
      item.price = std::max<std::int64_t>(0, item.price - step);
    }
  }
  return (best + kFine - 1) / kFine;
}

}  // namespace berth::placement::fragmentation
