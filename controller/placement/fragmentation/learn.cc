#include "controller/placement/fragmentation/learn.h"

#include <optional>
#include <vector>

#include "controller/placement/fragmentation/arrivals.h"

namespace berth::placement::fragmentation {

namespace {

constexpr std::size_t kMostNodes = 640;
constexpr std::uint64_t kStreams = 6;
constexpr std::size_t kStreamsBeforeRefusal = 2;
constexpr int kSweeps = 2;

struct Outcome {
  std::vector<std::int64_t> allocated;  // by stream
  Drops drops;
};

class Trial {
 public:
  Trial(std::span<const Node> nodes, const ClassMix& mix) : mix_(mix), fill_(fill_values(mix)) {
    const std::size_t step = (nodes.size() + kMostNodes - 1) / kMostNodes;
    // Every step-th: lists come sorted by kind, so each kind keeps its part.
    for (std::size_t i = 0; i < nodes.size(); i += step) nodes_.push_back(nodes[i]);
    std::vector<std::uint32_t> list;
    for (std::size_t i = 0; i < mix.classes.size(); ++i) {
      classes_.push_back(mix.classes[i].ask);
      list.insert(list.end(), static_cast<std::size_t>(mix.classes[i].count), static_cast<std::uint32_t>(i));
    }
    capacity_ = gpu_capacity(nodes_);
    for (std::uint64_t seed = 1; seed <= kStreams; ++seed)
      streams_.push_back(draw_arrivals(list, classes_, capacity_, ~seed));
  }

  // Every stream; nothing when the shape is behind `best` (where there is one) after the first streams.
  std::optional<Outcome> run(const Shape& shape, const Outcome* best) {
    Outcome outcome;
    std::int64_t lead = 0;
    Balanced policy(weights(shape));
    for (const auto& stream : streams_) {
      Packer packer(nodes_, classes_, policy, Ties::kFirst, 0);
      const Packed packed = pack(packer, classes_, stream);
      ++simulations_;
      outcome.allocated.push_back(packed.allocated.back());
      outcome.drops.cpu_only += packed.drops.cpu_only;
      outcome.drops.fraction += packed.drops.fraction;
      outcome.drops.one += packed.drops.one;
      outcome.drops.several += packed.drops.several;
      if (best == nullptr) continue;
      lead += outcome.allocated.back() - best->allocated[outcome.allocated.size() - 1];
      if (lead <= 0 && outcome.allocated.size() >= kStreamsBeforeRefusal) return std::nullopt;
    }
    return outcome;
  }
  Weights weights(const Shape& shape) const { return make_weights(shape, mix_, fill_); }
  std::int64_t simulations() const { return simulations_; }
  // Less of a difference on each stream is not worth another shape.
  std::int64_t trifle() const { return capacity_ / 5000; }

 private:
  const ClassMix& mix_;
  const std::array<std::int64_t, kRests> fill_;
  std::vector<Node> nodes_;
  std::vector<Ask> classes_;
  std::vector<std::vector<std::uint32_t>> streams_;
  std::int64_t capacity_ = 0;
  std::int64_t simulations_ = 0;
};

// Whether `now` allocates more than `best` by more than the draw of the streams explains: Student's t of the
// differences by stream is above 2.5. With n differences d, t squared is sum(d)^2 * (n - 1) / (n * sum(d^2) -
// sum(d)^2).
bool surely_more(const Outcome& now, const Outcome& best, std::int64_t trifle) {
  const auto count = static_cast<std::int64_t>(now.allocated.size());
  std::int64_t sum = 0;
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < now.allocated.size(); ++i) {
    const std::int64_t difference = now.allocated[i] - best.allocated[i];
    sum += difference;
    squares += difference * difference;
  }
  return sum > count * trifle && 4 * sum * sum * (count - 1) > 25 * (count * squares - sum * sum);
}

bool starves(const Drops& drops, const Drops& first) {
  const auto more = [](std::int64_t now, std::int64_t then) {
    return now * 100 > then * 105 + 100 * static_cast<std::int64_t>(kStreams);
  };
  return more(drops.cpu_only, first.cpu_only) || more(drops.fraction, first.fraction) ||
         more(drops.one, first.one) || more(drops.several, first.several);
}

struct Choice {
  std::int64_t Shape::*number;
  std::vector<std::int64_t> values;
};

const std::vector<Choice>& choices() {
  static const std::vector<Choice> kChoices = {
      {&Shape::rho_percent, {40, 60, 80, 140, 180, 250}},
      {&Shape::full, {0, 14, 21, 32}},
      {&Shape::mid, {20, 30, 50}},
      {&Shape::rest_percent, {10, 20, 50, 80}},
      {&Shape::slope_percent, {10, 20, 60, 100}},
      {&Shape::steep_percent, {30, 70}},
  };
  return kChoices;
}

}  // namespace

Learned learn(std::span<const Node> nodes, const ClassMix& mix) {
  Shape best;
  if (nodes.empty() || cpu_per_gpu(mix) == 0) return {best, make_weights(best, mix, fill_values(mix)), 0};
  Trial trial(nodes, mix);
  const Outcome first = *trial.run(best, nullptr);
  Outcome most = first;
  const auto attempt = [&](const Shape& shape) {
    if (shape == best) return;
    const std::optional<Outcome> outcome = trial.run(shape, &most);
    if (!outcome || !surely_more(*outcome, most, trial.trifle()) || starves(outcome->drops, first.drops))
      return;
    most = *outcome;
    best = shape;
  };
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const Shape before = best;
    for (const Choice& choice : choices()) {
      const Shape from = best;
      for (const std::int64_t value : choice.values) {
        Shape shape = from;
        shape.*choice.number = value;
        attempt(shape);
      }
    }
    if (best == before) break;
  }
  return {best, trial.weights(best), trial.simulations()};
}

}  // namespace berth::placement::fragmentation
