// Numbers that look drawn but follow from a seed alone (SplitMix64: Steele, Lea, Flood, OOPSLA 2014): the
// same on every machine.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace berth::placement::fragmentation {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  // From 0 to below `bound`, which is far below 2^32 here: the bias of the remainder is nothing.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  template <class T> void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace berth::placement::fragmentation
