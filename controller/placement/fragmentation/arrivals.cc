#include "controller/placement/fragmentation/arrivals.h"

#include "controller/placement/fragmentation/draw.h"

namespace berth::placement::fragmentation {

std::vector<std::uint32_t> draw_arrivals(std::span<const std::uint32_t> list, std::span<const Ask> classes,
                                         std::int64_t capacity, std::uint64_t seed) {
  Draw draw(seed);
  std::vector<std::uint32_t> arrivals(list.begin(), list.end());
  draw.shuffle(arrivals);
  std::int64_t listed = 0;
  for (const std::uint32_t index : list) listed += classes[index].total_milli();
  if (listed == 0) return arrivals;  // no GPU is ever demanded: the end would not come
  std::int64_t demanded = 0;
  std::size_t end = 0;
  const std::int64_t enough = capacity * kArrivedPercents.back();
  while (demanded * 100 < enough) {
    if (end == arrivals.size()) arrivals.push_back(list[draw.below(list.size())]);
    demanded += classes[arrivals[end++]].total_milli();
  }
  arrivals.resize(end);
  return arrivals;
}

std::int64_t gpu_capacity(std::span<const Node> nodes) {
  std::int64_t sum = 0;
  for (const Node& node : nodes) sum += node.free_milli();
  return sum;
}

Packed pack(Packer& packer, std::span<const Ask> classes, std::span<const std::uint32_t> arrivals) {
  const std::int64_t capacity = gpu_capacity(packer.nodes());
  Packed packed;
  std::int64_t demanded = 0;
  std::int64_t allocated = 0;
  std::size_t mark = 0;
  for (const std::uint32_t index : arrivals) {
    const Ask& ask = classes[index];
    demanded += ask.total_milli();
    if (packer.place(index) >= 0)
      allocated += ask.total_milli();
    else
      ++packed.drops.of(ask);
    while (mark < kArrivedPercents.size() && demanded * 100 >= capacity * kArrivedPercents[mark])
      packed.allocated[mark++] = allocated;
  }
  while (mark < kArrivedPercents.size()) packed.allocated[mark++] = allocated;
  return packed;
}

}  // namespace berth::placement::fragmentation
