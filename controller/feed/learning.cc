#include "controller/feed/learning.h"

#include <algorithm>

namespace berth::controller {

namespace frag = placement::fragmentation;
using projections::ClassCountRow;
using projections::State;

namespace {

constexpr std::size_t kClassesRecorded = 256;  // the most popular; keeps the record small (P4)
constexpr int kShapeSize = 6;

std::vector<frag::ClassShare> most_popular_first(std::vector<frag::ClassShare> counted) {
  return frag::mix_from(std::move(counted)).classes;
}

}  // namespace

SelectionFound learn_selection(const LearnSelection& asked) {
  SelectionFound found;
  found.learned.set_group(asked.group);
  frag::ClassMix mix = frag::mix_from(asked.mix);
  if (mix.classes.size() > kClassesRecorded) {
    mix.classes.resize(kClassesRecorded);
    mix = frag::mix_from(std::move(mix.classes));
  }
  for (const auto& share : mix.classes) {
    auto* counted = found.learned.add_classes();
    counted->set_cpu_milli(share.ask.cpu_milli);
    counted->set_gpus(share.ask.gpus);
    counted->set_gpu_milli(share.ask.gpu_milli);
    counted->set_models(share.ask.models);
    counted->set_count(share.count);
  }
  if (!asked.shape) return found;
  const frag::Learned learned = frag::learn(asked.nodes, mix);
  const frag::Shape& shape = learned.shape;
  for (const std::int64_t number : {shape.rho_percent, shape.steep_percent, shape.slope_percent,
                                    shape.rest_percent, shape.mid, shape.full})
    found.learned.add_shape(number);
  found.learned.set_simulations(learned.simulations);
  return found;
}

bool learning_is_due(const v1::ResourceGroupDefined& group, const projections::MixRow& mix,
                     const projections::LearnedRow* learned, Timestamp now, std::int64_t first) {
  const bool shapeless = learned != nullptr && group.select() != "fgd" && learned->learned.shape_size() == 0;
  if (learned == nullptr || shapeless) return mix.sessions >= first;
  return now >= learned->at + kLearnEvery && mix.sessions >= std::max(10 * first, mix.counted / 4);
}

std::vector<frag::ClassShare> counted_mix(const State& state, const std::string& group) {
  std::vector<frag::ClassShare> counted;
  state.class_counts.for_each_unordered([&](const ClassCountRow& row) {
    if (row.group == group)
      counted.push_back({{row.asked.cpu_milli, row.asked.gpus, row.asked.gpu_milli, 0}, row.count});
  });
  return most_popular_first(std::move(counted));
}

std::vector<frag::ClassShare> mix_of_learned(const v1::SelectionLearned& learned) {
  std::vector<frag::ClassShare> counted;
  for (const auto& row : learned.classes())
    counted.push_back({{row.cpu_milli(), row.gpus(), row.gpu_milli(), row.models()}, row.count()});
  return most_popular_first(std::move(counted));
}

frag::Shape shape_of_learned(const v1::SelectionLearned& learned) {
  frag::Shape shape;
  if (learned.shape_size() != kShapeSize) return shape;
  return {learned.shape(0), learned.shape(1), learned.shape(2),
          learned.shape(3), learned.shape(4), learned.shape(5)};
}

}  // namespace berth::controller
