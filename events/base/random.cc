#include "events/base/random.h"

#include <cstring>

namespace berth {

Uuid Rng::uuid() {
  std::array<std::uint8_t, 16> bytes;
  const std::uint64_t words[2] = {next(), next()};
  std::memcpy(bytes.data(), words, sizeof words);
  return Uuid::from_hash(bytes);
}

}  // namespace berth
