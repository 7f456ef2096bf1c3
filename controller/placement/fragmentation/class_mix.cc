#include "controller/placement/fragmentation/class_mix.h"

#include <algorithm>
#include <map>
#include <utility>

namespace berth::placement::fragmentation {

ClassMix mix_of(std::span<const Ask> asks) {
  std::map<Ask, std::int64_t> counts;
  for (Ask ask : asks) {
    ask.memory_mib = 0;
    ++counts[ask];
  }
  std::vector<ClassShare> counted;
  counted.reserve(counts.size());
  for (const auto& [ask, count] : counts) counted.push_back({ask, count});
  return mix_from(std::move(counted));
}

ClassMix mix_from(std::vector<ClassShare> counted) {
  ClassMix mix{std::move(counted), 0};
  for (const ClassShare& share : mix.classes) mix.total += share.count;
  std::sort(mix.classes.begin(), mix.classes.end(), [](const ClassShare& a, const ClassShare& b) {
    return a.count != b.count ? a.count > b.count : a.ask < b.ask;
  });
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

}  // namespace berth::placement::fragmentation
