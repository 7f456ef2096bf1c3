#include "controller/scheduler/fragmentation/class_mix.h"

#include <algorithm>
#include <map>

namespace berth::scheduler::fragmentation {

ClassMix mix_of(std::span<const Ask> asks) {
  std::map<Ask, std::int64_t> counts;
  for (const Ask& ask : asks) ++counts[ask];
  ClassMix mix;
  for (const auto& [ask, count] : counts) mix.classes.push_back({ask, count});
  mix.total = static_cast<std::int64_t>(asks.size());
  std::stable_sort(mix.classes.begin(), mix.classes.end(),
                   [](const ClassShare& a, const ClassShare& b) { return a.count > b.count; });
  return mix;
}

ClassMix most_popular(const ClassMix& mix, std::int64_t percent) {
  ClassMix popular;
  for (const ClassShare& share : mix.classes) {
    if (popular.total * 100 >= mix.total * percent) break;
    popular.classes.push_back(share);
    popular.total += share.count;
  }
  return popular;
}

}  // namespace berth::scheduler::fragmentation
