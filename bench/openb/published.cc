#include "bench/openb/published.h"

#include <algorithm>
#include <bit>

#include "controller/placement/fragmentation/draw.h"
#include "controller/placement/fragmentation/fragments.h"

namespace berth::placement::fragmentation {

namespace {

constexpr std::int64_t kLargestCpu = 128'000;  // of the trace's nodes
constexpr std::int64_t kLargestGpu = 8'000;

// The device with the least left that still does; of equal ones the first. kNoDevice when none does.
std::int32_t tightest_device(const Node& node, std::int32_t milli) {
  std::int32_t best = kNoDevice;
  for (std::int32_t i = 0; i < node.gpus; ++i) {
    const std::int32_t left = node.gpu_milli[static_cast<std::size_t>(i)];
    if (left >= milli && (best == kNoDevice || left < node.gpu_milli[static_cast<std::size_t>(best)]))
      best = i;
  }
  return best;
}

class Random final : public Policy {
 public:
  void start(std::span<const Node>) override {}
  Rating rate(std::size_t index, const Node& node, const Ask& ask) const override {
    return {0, any_device(index, node, ask.gpu_milli)};
  }
  void placed(std::size_t, const Node&, const Ask&) override {}

 private:
  // Drawn from the node's state, so that a rating may be kept.
  static std::int32_t any_device(std::size_t index, const Node& node, std::int32_t milli) {
    const auto fitting = node.devices_with(milli);
    if (fitting == 0) return kNoDevice;
    std::uint64_t state = index;
    for (const std::int32_t free : node.gpu_milli)
      state = Draw(state ^ static_cast<std::uint64_t>(free)).next();
    auto left = Draw(state).below(static_cast<std::uint64_t>(fitting));
    for (std::int32_t device = 0;; ++device)
      if (node.gpu_milli[static_cast<std::size_t>(device)] >= milli && left-- == 0) return device;
  }
};

class DotProduct final : public Policy {
 public:
  void start(std::span<const Node>) override {}
  // 100 * (1 - (cpu * cpu' + gpu * gpu') / 2), where the primed ones are asked and all are parts of the
  // largest node.
  Rating rate(std::size_t, const Node& node, const Ask& ask) const override {
    constexpr std::int64_t kCpuSquare = kLargestCpu * kLargestCpu;
    constexpr std::int64_t kGpuSquare = kLargestGpu * kLargestGpu;
    constexpr std::int64_t kPerGpu = kCpuSquare / kGpuSquare;  // 256, exactly
    const std::int64_t cpu = std::int64_t{node.cpu_milli} * ask.cpu_milli;
    const std::int64_t gpu = std::int64_t{node.free_milli()} * ask.total_milli() * kPerGpu;
    const std::int64_t left = 2 * kCpuSquare - cpu - gpu;
    return {100 - 100 * left / (2 * kCpuSquare), tightest_device(node, ask.gpu_milli)};
  }
  void placed(std::size_t, const Node&, const Ask&) override {}
};

class Clustering final : public Policy {
 public:
  void start(std::span<const Node> nodes) override { kinds_.assign(nodes.size(), 0); }
  Rating rate(std::size_t index, const Node& node, const Ask& ask) const override {
    if (ask.gpus == 0) return {100, kNoDevice};
    const std::uint32_t kinds = kinds_[index];
    std::int64_t rank = kinds == 0 ? 1 : 0;
    if ((kinds & kind_of(ask)) != 0) rank = std::has_single_bit(kinds) ? 3 : 2;
    const std::int64_t full = 25 * std::max<std::int64_t>(0, kLargestGpu - node.free_milli()) / kLargestGpu;
    return {100 - 25 * rank - full, tightest_device(node, ask.gpu_milli)};
  }
  void placed(std::size_t index, const Node&, const Ask& ask) override {
    if (ask.gpus > 0) kinds_[index] |= kind_of(ask);
  }

 private:
  static std::uint32_t kind_of(const Ask& ask) { return ask.fraction() ? 1u : 1u << ask.gpus; }
  std::vector<std::uint32_t> kinds_;  // by node: bit 0 fractions, bit n pods of n devices
};

class Packing final : public Policy {
 public:
  void start(std::span<const Node>) override {}
  Rating rate(std::size_t, const Node& node, const Ask& ask) const override {
    if (ask.gpus == 0) return {100, kNoDevice};
    const std::int32_t device = tightest_device(node, ask.gpu_milli);
    const std::int64_t idle = node.devices_with(kWholeGpu);
    if (idle == node.gpus) return {100 - std::max<std::int64_t>(33 - idle, idle), device};
    if (!ask.fraction()) return {100 - std::max<std::int64_t>(50 - ask.gpus, 33), device};
    const std::int64_t left = node.gpu_milli[static_cast<std::size_t>(device)];
    return {left == kWholeGpu ? 51 : left * 100 / kWholeGpu / 10, device};
  }
  void placed(std::size_t, const Node&, const Ask&) override {}
};

class BestFit final : public Policy {
 public:
  void start(std::span<const Node>) override {}
  Rating rate(std::size_t, const Node& node, const Ask& ask) const override {
    constexpr std::int64_t kPerGpu = kLargestCpu / kLargestGpu;  // 16
    const std::int64_t cpu = node.cpu_milli - ask.cpu_milli;
    const std::int64_t gpu = (node.free_milli() - ask.total_milli()) * kPerGpu;
    return {100 - 100 * (2 * kLargestCpu - cpu - gpu) / (2 * kLargestCpu),
            tightest_device(node, ask.gpu_milli)};
  }
  void placed(std::size_t, const Node&, const Ask&) override {}
};

class Fgd final : public Policy {
 public:
  explicit Fgd(const ClassMix& mix) : mix_(mix) {}
  void start(std::span<const Node> nodes) override {
    before_.clear();
    for (const Node& node : nodes) before_.push_back(fragments(node, mix_));
  }
  Rating rate(std::size_t index, const Node& node, const Ask& ask) const override {
    if (!ask.fraction()) return {100 - score(index, node, ask, kNoDevice), kNoDevice};
    Rating best{101, kNoDevice};
    for (std::int32_t i = 0; i < node.gpus; ++i) {
      if (node.gpu_milli[static_cast<std::size_t>(i)] < ask.gpu_milli || repeats(node, i)) continue;
      const std::int64_t cost = 100 - score(index, node, ask, i);
      if (cost < best.cost) best = {cost, i};
    }
    return best;
  }
  void placed(std::size_t index, const Node& after, const Ask&) override {
    before_[index] = fragments(after, mix_);
  }

 private:
  // A device with as much left as an earlier one gives the same score.
  static bool repeats(const Node& node, std::int32_t device) {
    const auto end = node.gpu_milli.begin() + device;
    return std::find(node.gpu_milli.begin(), end, *end) != end;
  }
  std::int64_t score(std::size_t index, const Node& node, const Ask& ask, std::int32_t device) const {
    Node after = node;
    take(after, ask, device);
    return fgd_score(before_[index], fragments(after, mix_), mix_.total);
  }

  const ClassMix mix_;
  std::vector<std::int64_t> before_;  // by node
};

}  // namespace

std::unique_ptr<Policy> make_published(Published which, const ClassMix& mix) {
  switch (which) {
    case Published::kRandom: return std::make_unique<Random>();
    case Published::kDotProduct: return std::make_unique<DotProduct>();
    case Published::kClustering: return std::make_unique<Clustering>();
    case Published::kPacking: return std::make_unique<Packing>();
    case Published::kBestFit: return std::make_unique<BestFit>();
    case Published::kFgd: return std::make_unique<Fgd>(mix);
  }
  return nullptr;
}

}  // namespace berth::placement::fragmentation
