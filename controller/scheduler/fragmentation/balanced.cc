#include "controller/scheduler/fragmentation/balanced.h"

#include <algorithm>

namespace berth::scheduler::fragmentation {

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
  const std::int64_t free = node.free_milli();
  if (free == 0) return 0;
  std::int64_t phi = 0;
  for (std::size_t s = 0; s < weights.slope.size(); ++s) {
    if (weights.cpu_per_gpu[s] == 0) continue;
    const std::int64_t fed = std::int64_t{node.cpu_milli} * kWholeGpu / weights.cpu_per_gpu[s];
    phi += weights.slope[s] * std::max<std::int64_t>(0, free - fed);
  }
  for (std::int32_t i = 0; i < node.gpus; ++i) {
    phi += weights.rest[static_cast<std::size_t>(node.gpu_milli[static_cast<std::size_t>(i)] / kRestStep)];
  }
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

Rating least_rise(const Node& node, std::int64_t before, const Ask& ask, const Weights& weights) {
  Rating best{INT64_MAX, kNoDevice};
  const std::int32_t devices = ask.fraction() ? node.gpus : 1;
  std::int32_t last = -1;
  for (std::int32_t i = 0; i < devices; ++i) {
    const std::int32_t left = node.gpu_milli[static_cast<std::size_t>(i)];
    if (ask.fraction() && (left < ask.gpu_milli || left == last)) continue;
    last = left;  // an equal neighbour gives the same rise
    Node after = node;
    take(after, ask, i);
    const std::int64_t cost = potential(after, weights) - before;
    if (cost < best.cost) best = {cost, i};
  }
  return best;
}

void Balanced::start(std::span<const Node> nodes) {
  before_.clear();
  for (const Node& node : nodes) before_.push_back(potential(node, weights_));
}

void Balanced::placed(std::size_t index, const Node& after, const Ask&) { before_[index] = potential(after, weights_); }

Rating Balanced::rate(std::size_t index, const Node& node, const Ask& ask) const {
  return least_rise(node, before_[index], ask, weights_);
}

}  // namespace berth::scheduler::fragmentation
