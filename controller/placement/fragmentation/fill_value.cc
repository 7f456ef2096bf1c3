#include "controller/placement/fragmentation/fill_value.h"

#include <algorithm>
#include <map>
#include <vector>

namespace berth::placement::fragmentation {

namespace {

constexpr std::int64_t kUnitPrice = 1 << 20;  // of a whole device
constexpr std::int64_t kStep =
    50;  // a price moves by at most about 1 / 50 at a time (more where it is overused)
constexpr std::int64_t kMostOveruse = 20;
constexpr int kPriceRounds = 3000;  // enough that values settle within a few milli on the published lists

struct Size {
  std::size_t steps = 0;   // of kRestStep
  std::int64_t share = 0;  // of a device that the mix fills, in 1 / kUnitPrice: how often it should be used
  std::int64_t price = 0;
  std::int64_t used = 0;  // in the best filling
};

using Values = std::array<std::int64_t, kRests>;

std::vector<Size> sizes_of(const ClassMix& mix) {
  std::map<std::size_t, std::int64_t> counts;
  std::int64_t steps = 0;
  for (const ClassShare& share : mix.classes) {
    if (!share.ask.fraction()) continue;
    const auto size = static_cast<std::size_t>((share.ask.gpu_milli + kRestStep - 1) / kRestStep);
    counts[size] += share.count;
    steps += share.count * static_cast<std::int64_t>(size);
  }
  std::vector<Size> sizes;
  for (const auto& [size, count] : counts) {
    const auto whole = static_cast<std::int64_t>(kRests - 1);
    sizes.push_back({size, std::max<std::int64_t>(1, count * whole * kUnitPrice / steps),
                     static_cast<std::int64_t>(size) * kUnitPrice / whole, 0});
  }
  return sizes;
}

// The best filling of every rest (an unbounded knapsack), and how often that of a whole device uses each
// size.
void fill(std::vector<Size>& sizes, Values& values) {
  std::array<std::size_t, kRests> chosen{};  // 1 + place in `sizes`; 0: one step is left empty
  values[0] = 0;
  for (std::size_t rest = 1; rest < kRests; ++rest) {
    values[rest] = values[rest - 1];
    for (std::size_t i = 0; i < sizes.size() && sizes[i].steps <= rest; ++i) {
      const std::int64_t value = values[rest - sizes[i].steps] + sizes[i].price;
      if (value <= values[rest]) continue;
      values[rest] = value;
      chosen[rest] = i + 1;
    }
  }
  for (Size& size : sizes) size.used = 0;
  for (std::size_t rest = kRests - 1; rest > 0;) {
    const std::size_t choice = chosen[rest];
    if (choice > 0) ++sizes[choice - 1].used;
    rest -= choice > 0 ? sizes[choice - 1].steps : 1;
  }
}

void move_prices(std::vector<Size>& sizes, std::int64_t device) {
  for (Size& size : sizes) {
    const std::int64_t overuse =
        std::min(kMostOveruse * kUnitPrice, size.used * kUnitPrice / size.share * kUnitPrice);
    const std::int64_t moved = size.price + size.price * (kUnitPrice - overuse) / kUnitPrice / kStep;
    size.price = std::clamp<std::int64_t>(moved * kUnitPrice / device, 1, 4 * kUnitPrice);
  }
}

}  // namespace

std::array<std::int64_t, kRests> fill_values(const ClassMix& mix) {
  std::vector<Size> sizes = sizes_of(mix);
  Values sums{};
  if (sizes.empty()) return sums;
  Values values{};
  for (int round = 0; round < kPriceRounds; ++round) {
    fill(sizes, values);
    const std::int64_t device = values.back();
    // Prices circle around the answer: the mean of the second half is close to it.
    if (round >= kPriceRounds / 2)
      for (std::size_t i = 0; i < kRests; ++i) sums[i] += values[i] * kWholeGpu / device;
    move_prices(sizes, device);
  }
  for (std::int64_t& sum : sums) sum /= kPriceRounds - kPriceRounds / 2;
  return sums;
}

}  // namespace berth::placement::fragmentation
