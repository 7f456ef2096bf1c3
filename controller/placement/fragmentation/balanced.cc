#include "controller/placement/fragmentation/balanced.h"

#include <algorithm>

namespace berth::placement::fragmentation {

namespace {

// Free GPU that no CPU is left for, at both slopes.
std::int64_t unfed(std::int32_t cpu_milli, std::int64_t free_milli, const Weights& weights) {
  if (free_milli == 0) return 0;
  std::int64_t sum = 0;
  for (std::size_t s = 0; s < weights.slope.size(); ++s) {
    if (weights.cpu_per_gpu[s] == 0) continue;
    const std::int64_t fed = std::int64_t{cpu_milli} * kWholeGpu / weights.cpu_per_gpu[s];
    sum += weights.slope[s] * std::max<std::int64_t>(0, free_milli - fed);
  }
  return sum;
}

std::int64_t weight_of(std::int32_t rest, const Weights& weights) {
  return weights.rest[static_cast<std::size_t>(rest / kRestStep)];
}

std::int64_t rise_of_rest(std::int32_t left, const Ask& ask, const Weights& weights) {
  return weight_of(left - ask.gpu_milli, weights) - weight_of(left, weights);
}

// Of all devices that take() takes for what is no fraction.
std::int64_t rise_of_rests(const Node& node, const Ask& ask, const Weights& weights) {
  std::int64_t sum = 0;
  std::int32_t wanted = ask.gpus;
  for (std::int32_t i = 0; wanted > 0; ++i) {
    const std::int32_t left = node.gpu_milli[static_cast<std::size_t>(i)];
    if (left < ask.gpu_milli) continue;
    sum += rise_of_rest(left, ask, weights);
    --wanted;
  }
  return sum;
}

}  // namespace

std::int64_t cpu_per_gpu(const ClassMix& mix) {
  std::int64_t cpu = 0;
  std::int64_t gpu = 0;
  for (const ClassShare& share : mix.classes) {
    if (share.ask.gpus == 0) continue;
    cpu += share.count * share.ask.cpu_milli;
    gpu += share.count * share.ask.total_milli();
  }
  return gpu == 0 ? 0 : cpu * kWholeGpu / gpu;
}

std::int64_t potential(const Node& node, const Weights& weights) {
  std::int64_t phi = unfed(node.cpu_milli, node.free_milli(), weights);
  for (std::int32_t i = 0; i < node.gpus; ++i)
    phi += weight_of(node.gpu_milli[static_cast<std::size_t>(i)], weights);
  return phi;
}

Weights make_weights(const Shape& shape, const ClassMix& mix, const std::array<std::int64_t, kRests>& fill) {
  constexpr std::int64_t kUseless = 200;
  Weights weights;
  const std::int64_t rho = cpu_per_gpu(mix) * shape.rho_percent / 100;
  weights.cpu_per_gpu = {rho * shape.steep_percent / 100, rho};
  weights.slope = {kOne, kOne * shape.slope_percent / 100};
  for (std::size_t i = 1; i < kRests; ++i) {
    const std::int64_t rest = static_cast<std::int64_t>(i) * kRestStep;
    std::int64_t nuisance = shape.mid + (rest - fill[i]) * shape.rest_percent / 100;
    if (rest < kUseless) nuisance = rest;
    if (rest == kWholeGpu) nuisance = shape.full;
    weights.rest[i] = static_cast<std::int32_t>(kOne * nuisance);
  }
  return weights;
}

Rating Balanced::rate(std::size_t index, const Node& node, const Ask& ask) const {
  const Held& held = held_[index];
  const std::int64_t fed =
      unfed(node.cpu_milli - ask.cpu_milli, held.free_milli - ask.total_milli(), weights_) - held.unfed;
  if (!ask.fraction()) return {fed + rise_of_rests(node, ask, weights_), kNoDevice};
  Rating best{INT64_MAX, kNoDevice};
  std::int32_t last = -1;
  for (std::int32_t i = 0; i < node.gpus; ++i) {
    const std::int32_t left = node.gpu_milli[static_cast<std::size_t>(i)];
    if (left < ask.gpu_milli || left == last) continue;
    last = left;  // an equal neighbour gives the same rise
    const std::int64_t cost = fed + rise_of_rest(left, ask, weights_);
    if (cost < best.cost) best = {cost, i};
  }
  return best;
}

void Balanced::start(std::span<const Node> nodes) {
  held_.clear();
  for (const Node& node : nodes) held_.push_back(held(node));
}

void Balanced::placed(std::size_t index, const Node& after, const Ask&) { held_[index] = held(after); }

Balanced::Held Balanced::held(const Node& node) const {
  const std::int64_t free = node.free_milli();
  return {free, unfed(node.cpu_milli, free, weights_)};
}

}  // namespace berth::placement::fragmentation
