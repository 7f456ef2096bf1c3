// Randomness of the operating system, for edges (the lint keeps pure folders from including this header).
#pragma once

#include <string>

#include "events/base/random.h"

namespace berth {

// `size` bytes from the kernel's CSPRNG. Thread-safe.
std::string random_bytes(std::size_t size);

class SystemRandom final : public RandomSource {
 public:
  Uuid uuid() override;
};

}  // namespace berth
