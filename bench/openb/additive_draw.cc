#include "bench/openb/additive_draw.h"

namespace berth::placement::fragmentation {

namespace {

// x -> 48271 x mod 2^31 - 1 (Park, Miller, Stockmeyer, CACM 1993), three numbers a word, the first twenty
// left out.
class WordMaker {
 public:
  WordMaker(std::uint32_t seed, int shift)
      : state_(seed % kModulus == 0 ? 89'482'311 : seed % kModulus), shift_(shift) {
    for (int i = 0; i < 20; ++i) advance();
  }
  std::uint64_t word() {
    const std::uint64_t high = advance() << (2 * shift_);
    const std::uint64_t middle = advance() << shift_;
    return high ^ middle ^ advance();
  }

 private:
  static constexpr std::uint64_t kModulus = (std::uint64_t{1} << 31) - 1;
  std::uint64_t advance() { return state_ = state_ * 48'271 % kModulus; }

  std::uint64_t state_;
  int shift_;
};

}  // namespace

// What a seed's words are mixed with: the state of the same generator, seeded with 1, 7.8e12 numbers later.
// By that many steps nobody gets there: x^steps is reduced modulo x^607 - x^334 - 1 instead (coefficients
// modulo 2^64), and its coefficients, applied to the first numbers, give the later ones. About 20 ms, once.
const AdditiveDraw::State& AdditiveDraw::mixed() {
  static const State made = [] {
    constexpr std::uint64_t kSteps = 7'800'000'000'000;
    using Wide = std::array<std::uint64_t, 2 * kLag>;
    const auto reduce = [](Wide& wide) {
      for (std::size_t i = wide.size(); i-- > kLag;) {
        wide[i - kLag] += wide[i];
        wide[i - kTap] += wide[i];
        wide[i] = 0;
      }
    };
    Wide power{};  // x^(the bits of kSteps so far)
    power[0] = 1;
    for (int bit = 63; bit >= 0; --bit) {
      Wide square{};
      for (std::size_t i = 0; i < kLag; ++i)
        for (std::size_t j = 0; j < kLag; ++j) square[i + j] += power[i] * power[j];
      if ((kSteps >> bit & 1) != 0) {
        for (std::size_t i = square.size() - 1; i > 0; --i) square[i] = square[i - 1];
        square[0] = 0;
      }
      reduce(square);
      power = square;
    }
    const auto place = [](std::uint64_t n) { return (kLag - kTap - 1 + kLag - n % kLag) % kLag; };  // of x[n]
    WordMaker words(1, 10);
    State first{};
    for (std::uint64_t& word : first) word = words.word();
    Wide x{};
    for (std::size_t n = 0; n < x.size(); ++n) x[n] = n < kLag ? first[place(n)] : x[n - kLag] + x[n - kTap];
    State later{};
    for (std::size_t i = 0; i < kLag; ++i)
      for (std::size_t j = 0; j < kLag; ++j) later[place(kSteps + i)] += power[j] * x[i + j];
    return later;
  }();
  return made;
}

AdditiveDraw::AdditiveDraw(std::uint32_t seed) : state_(mixed()) {
  WordMaker words(seed, 20);
  for (std::uint64_t& word : state_) word ^= words.word();
}

std::uint64_t AdditiveDraw::next() {
  tap_ = (tap_ + kLag - 1) % kLag;
  feed_ = (feed_ + kLag - 1) % kLag;
  state_[feed_] += state_[tap_];
  return state_[feed_] & (UINT64_MAX >> 1);
}

std::uint32_t AdditiveDraw::below(std::uint32_t bound) {
  constexpr std::uint32_t kAll = std::uint32_t{1} << 31;
  const std::uint32_t even = kAll - kAll % bound;  // numbers from here on would favour the small ones
  std::uint32_t drawn = static_cast<std::uint32_t>(next() >> 32);
  while (drawn >= even) drawn = static_cast<std::uint32_t>(next() >> 32);
  return drawn % bound;
}

std::uint32_t AdditiveDraw::scaled(std::uint32_t bound) {
  const std::uint32_t unfair = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t product = (next() >> 31) * bound;
    if (static_cast<std::uint32_t>(product) >= unfair) return static_cast<std::uint32_t>(product >> 32);
  }
}

std::vector<std::uint32_t> AdditiveDraw::permutation(std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t at = below(i + 1);
    order[i] = order[at];
    order[at] = i;
  }
  return order;
}

}  // namespace berth::placement::fragmentation
