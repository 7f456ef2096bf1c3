// The numbers that the published experiment's simulator draws: the additive lagged Fibonacci generator of
// Mitchell and Reeds, x[n] = x[n - 607] + x[n - 273] mod 2^64, as the Go language's first random package
// seeds and reduces it. That package promises the same numbers for a seed forever, so the published runs can
// be had again (ADR 0060).
//
// For experiments alone: Draw (draw.h) is better and faster. Values only; one strand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace berth::placement::fragmentation {

class AdditiveDraw {
 public:
  explicit AdditiveDraw(std::uint32_t seed);

  std::uint64_t next();  // 63 bits

  // From 0 to below `bound`, by the remainder; from 1 to 2^31 - 1.
  std::uint32_t below(std::uint32_t bound);

  // The last place is drawn first; places by the high half of a product (Lemire 2019).
  template <class T> void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i)
      std::swap(all[i - 1], all[scaled(static_cast<std::uint32_t>(i))]);
  }

  // The numbers from 0 to below `count` in a drawn order.
  std::vector<std::uint32_t> permutation(std::uint32_t count);

 private:
  static constexpr std::size_t kLag = 607;
  static constexpr std::size_t kTap = 273;
  using State = std::array<std::uint64_t, kLag>;

  static const State& mixed();
  std::uint32_t scaled(std::uint32_t bound);

  State state_{};  // x[n - 607 + i] at a place that goes down with i
  std::size_t feed_ = kLag - kTap;
  std::size_t tap_ = 0;
};

}  // namespace berth::placement::fragmentation
