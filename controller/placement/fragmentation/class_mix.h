// The classes of a stream of requests and how often each comes: what F (fragments.h) and the learning
// (learn.h) expect of the future.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "controller/placement/fragmentation/node.h"

namespace berth::placement::fragmentation {

struct ClassShare {
  Ask ask;
  std::int64_t count = 0;  // of `ClassMix::total`
  bool operator==(const ClassShare&) const = default;
};

struct ClassMix {
  std::vector<ClassShare> classes;  // most popular first; equally popular ones by Ask
  std::int64_t total = 0;           // sum of the counts
};

// All distinct asks, memory left out: what is expected of the future is about CPU and GPU.
ClassMix mix_of(std::span<const Ask> asks);

// Classes that were counted elsewhere, each once, in any order.
ClassMix mix_from(std::vector<ClassShare> counted);

// The most popular classes until `percent` of all are covered (Weng et al., USENIX ATC'23, 3.2: typical
// tasks; 95 there).
ClassMix most_popular(const ClassMix& mix, std::int64_t percent);

}  // namespace berth::placement::fragmentation
