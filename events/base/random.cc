#include "events/base/random.h"

#include <cstring>

#include "events/base/hash.h"

namespace berth {

Uuid Rng::uuid() {
  std::array<std::uint8_t, 16> bytes;
  const std::uint64_t words[2] = {next(), next()};
  std::memcpy(bytes.data(), words, sizeof words);
  return Uuid::from_hash(bytes);
}

std::uint64_t decision_seed(const Uuid& cluster, std::uint64_t epoch, std::uint64_t sequence) {
  const std::uint64_t words[2] = {epoch, sequence};
  const auto hash = blake2b_128(cluster.view(), {reinterpret_cast<const char*>(words), sizeof words});
  std::uint64_t seed;
  std::memcpy(&seed, hash.data(), sizeof seed);
  return seed;
}

}  // namespace berth
