// Randomness is an argument, as time is. Rng is a keyed counter (PRF): the same seed gives the same numbers
// on every build (P6).
#pragma once

#include <cstdint>
#include <string_view>

#include "events/base/uuid.h"

namespace berth {

// SplitMix64 over a 64-bit seed. Secrets come from an edge's random_bytes() (secrets.h) instead.
class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  // Uniform in [0, bound), bound > 0 (multiply-shift; its bias of bound/2^64 does not matter here).
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }
  // True in `numerator` of `denominator` cases.
  bool chance(std::uint64_t numerator, std::uint64_t denominator) { return below(denominator) < numerator; }
  Uuid uuid();

 private:
  std::uint64_t state_;
};

// The source of an edge's ids and nonces: the operating system, or the simulator's seed. Thread-safe.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  virtual Uuid uuid() = 0;
};

}  // namespace berth
