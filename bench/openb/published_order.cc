#include "bench/openb/published_order.h"

#include <utility>

#include "bench/openb/additive_draw.h"
#include "controller/placement/fragmentation/arrivals.h"

namespace berth::placement::fragmentation {

namespace {

constexpr std::uint64_t kSeedBeforeTheFirst = 41;
constexpr int kDrawnBefore = 1;  // for a line of the simulator's log
constexpr int kDrawnInBetween =
    10;  // by its scheduler as it starts: found by trying, right for all 30 runs that were compared

class Arrivals {
 public:
  Arrivals(std::span<const std::uint32_t> list, std::span<const Ask> classes, std::int64_t capacity,
           AdditiveDraw& draw)
      : list_(list),
        classes_(classes),
        most_(capacity * kArrivedPercents.back()),
        draw_(draw),
        order_(list.begin(), list.end()) {
    for (const std::uint32_t index : list) demanded_ += classes[index].total_milli();
  }

  std::vector<std::uint32_t> make() {
    draw_.shuffle(order_);
    if (demanded_ == 0) return std::move(order_);  // no GPU is ever demanded: the end would not come
    if (demanded_ * 100 > most_)
      leave_out();
    else
      add();
    return std::move(order_);
  }

 private:
  void leave_out() {
    while (demanded_ * 100 > most_) {
      const auto at = order_.begin() + draw_.below(static_cast<std::uint32_t>(order_.size()));
      demanded_ -= classes_[*at].total_milli();
      order_.erase(at);
    }
  }
  void add() {
    for (;;) {
      const std::uint32_t index = list_[draw_.below(static_cast<std::uint32_t>(list_.size()))];
      if ((demanded_ + (classes_[index].gpus > 0 ? classes_[index].gpu_milli : 0)) * 100 > most_) return;
      demanded_ += classes_[index].total_milli();
      order_.push_back(index);
    }
  }

  std::span<const std::uint32_t> list_;
  std::span<const Ask> classes_;
  std::int64_t most_;
  AdditiveDraw& draw_;
  std::vector<std::uint32_t> order_;
  std::int64_t demanded_ = 0;
};

}  // namespace

PublishedOrder published_order(std::span<const std::uint32_t> list, std::span<const Ask> classes,
                               std::span<const Node> nodes, std::uint64_t run) {
  AdditiveDraw draw(static_cast<std::uint32_t>(run + kSeedBeforeTheFirst));
  for (int i = 0; i < kDrawnBefore; ++i) draw.next();
  PublishedOrder order;
  order.arrivals = Arrivals(list, classes, gpu_capacity(nodes), draw).make();
  for (int i = 0; i < kDrawnInBetween; ++i) draw.next();
  const auto places = draw.permutation(static_cast<std::uint32_t>(nodes.size()));
  order.nodes.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) order.nodes[places[i]] = nodes[i];
  return order;
}

}  // namespace berth::placement::fragmentation
