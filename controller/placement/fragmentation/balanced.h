// Selection policy `balanced`: keep CPU and GPU of each node free in the proportion in which they are
// requested, and keep the rest of a device usable. The node (and the device) is taken where a potential rises
// least:
//
//   Phi(node) = sum over two slopes s of weight_s * max(0, G - c / rho_s)    (free GPU without CPU for it)
//             + sum over its GPUs of W(g)                                    (the harm of a rest of g)
//
//   W(0) = 0; W(g) = g below 200 (nothing comes that is so small); W(1000) = full;
//   else W(g) = mid + shape * (g - what a rest of g is worth to the fractions that come; fill_value.h)
//   G = free GPU milli, c = free CPU milli of the node; the first two sums are 0 when G = 0;
//   rho = CPU milli per GPU milli over the mix's GPU classes, rho_s = rho / divisor_s.
//
// Unit of Phi: milli of a GPU, in fixed point of 1 / kOne. Simulation chooses the weights (learn.h). FGD
// (fragments.h) is what `balanced` is measured against.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/placement/fragmentation/class_mix.h"
#include "controller/placement/fragmentation/fill_value.h"
#include "controller/placement/fragmentation/policy.h"

namespace berth::placement::fragmentation {

inline constexpr std::int64_t kOne = 1024;  // of weights and of Phi

struct Weights {
  std::array<std::int64_t, 2> cpu_per_gpu{};  // rho_s: CPU milli per 1000 GPU milli; 0 switches a slope off
  std::array<std::int64_t, 2> slope{};        // weight_s
  std::array<std::int32_t, kRests> rest{};    // W(g), of kOne
  bool operator==(const Weights&) const = default;
};

// The numbers from which Weights are made; what learning chooses. It begins with these, which did best over
// many lists at once: the optimum is flat and much the same for all of them, but `full` near `mid` or above
// wastes points (a fraction then opens a whole device rather than fill a rest, and whole devices run out
// early).
struct Shape {
  std::int64_t rho_percent = 110;   // of the mix's rho
  std::int64_t steep_percent = 53;  // first slope's rho, of the second's
  std::int64_t slope_percent = 37;  // second slope's weight; the first has 100
  std::int64_t rest_percent = 30;   // `shape` above
  std::int64_t mid = 38;            // milli
  std::int64_t full = 26;           // milli
  bool operator==(const Shape&) const = default;
};

// `fill`: fill_values() of the mix.
Weights make_weights(const Shape& shape, const ClassMix& mix, const std::array<std::int64_t, kRests>& fill);

// rho of the mix, per 1000 GPU milli; 0 when no class wants a GPU.
std::int64_t cpu_per_gpu(const ClassMix& mix);

// Phi. 0 for a node without free GPU.
std::int64_t potential(const Node& node, const Weights& weights);

class Balanced final : public Policy {
 public:
  explicit Balanced(const Weights& weights) : weights_(weights) {}
  void start(std::span<const Node> nodes) override;
  // The rise of Phi, worked out from what changes, and for a fraction the device where it is least.
  Rating rate(std::size_t index, const Node& node, const Ask& ask) const override;
  void placed(std::size_t index, const Node& after, const Ask& ask) override;

 private:
  // What of a node is the same for all asks.
  struct Held {
    std::int64_t free_milli = 0;
    std::int64_t unfed = 0;  // the part of Phi that is about CPU
  };

  Held held(const Node& node) const;

  const Weights weights_;
  std::vector<Held> held_;  // by node
};

}  // namespace berth::placement::fragmentation
