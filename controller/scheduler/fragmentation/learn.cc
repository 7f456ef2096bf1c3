#include "controller/scheduler/fragmentation/learn.h"

#include <algorithm>
#include <vector>

#include "controller/scheduler/fragmentation/arrivals.h"

namespace berth::scheduler::fragmentation {

namespace {

constexpr std::size_t kMostNodes = 320;
constexpr std::uint64_t kStreams = 2;
constexpr int kSweeps = 2;

struct Outcome {
  std::int64_t allocated = 0;
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
    for (std::uint64_t seed = 1; seed <= kStreams; ++seed) streams_.push_back(draw_arrivals(list, classes_, capacity_, ~seed));
  }

  Outcome run(const Shape& shape) {
    Outcome sum;
    Balanced policy(weights(shape));
    for (const auto& stream : streams_) {
      Packer packer(nodes_, classes_, policy, Ties::kFirst, 0);
      const Packed packed = pack(packer, classes_, stream);
      sum.allocated += packed.allocated.back();
      sum.drops.cpu_only += packed.drops.cpu_only;
      sum.drops.fraction += packed.drops.fraction;
      sum.drops.one += packed.drops.one;
      sum.drops.several += packed.drops.several;
      ++simulations_;
    }
    return sum;
  }
  Weights weights(const Shape& shape) const { return make_weights(shape, mix_, fill_); }
  std::int64_t simulations() const { return simulations_; }
  // Less of a difference is the draw's, not the shape's.
  std::int64_t noise() const { return capacity_ * static_cast<std::int64_t>(kStreams) / 5000; }

 private:
  const ClassMix& mix_;
  const std::array<std::int64_t, kRests> fill_;
  std::vector<Node> nodes_;
  std::vector<Ask> classes_;
  std::vector<std::vector<std::uint32_t>> streams_;
  std::int64_t capacity_ = 0;
  std::int64_t simulations_ = 0;
};

bool starves(const Drops& drops, const Drops& first) {
  const auto more = [](std::int64_t now, std::int64_t then) { return now * 100 > then * 105 + 200; };
  return more(drops.cpu_only, first.cpu_only) || more(drops.fraction, first.fraction) || more(drops.one, first.one) ||
         more(drops.several, first.several);
}

struct Choice {
  std::int64_t Shape::* number;
  std::vector<std::int64_t> values;
};

const std::vector<Choice>& choices() {
  static const std::vector<Choice> kChoices = {
      {&Shape::rho_percent, {50, 75, 100, 150, 200}},
      {&Shape::full, {0, 10, 20, 40, 60}},
      {&Shape::mid, {30, 50, 70, 90}},
      {&Shape::rest_percent, {15, 25, 50, 75, 100}},
      {&Shape::slope_percent, {25, 50, 100}},
      {&Shape::steep_percent, {30, 50, 70}},
  };
  return kChoices;
}

}  // namespace

Learned learn(std::span<const Node> nodes, const ClassMix& mix) {
  Shape best;
  if (nodes.empty() || cpu_per_gpu(mix) == 0) return {best, make_weights(best, mix, fill_values(mix)), 0};
  Trial trial(nodes, mix);
  const Outcome first = trial.run(best);
  std::int64_t most = first.allocated;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    const Shape before = best;
    for (const Choice& choice : choices()) {
      const Shape from = best;
      for (const std::int64_t value : choice.values) {
        Shape shape = from;
        shape.*choice.number = value;
        if (shape == from) continue;
        const Outcome outcome = trial.run(shape);
        if (outcome.allocated <= most + trial.noise() || starves(outcome.drops, first.drops)) continue;
        most = outcome.allocated;
        best = shape;
      }
    }
    if (best == before) break;
  }
  return {best, trial.weights(best), trial.simulations()};
}

}  // namespace berth::scheduler::fragmentation
