#include "projections/fold/chain.h"

#include "events/base/checks.h"
#include "events/codec/chain_head.h"

namespace berth::projections {

Hash256 link_of(const LogEntry& entry) { return entry.gap ? Hash256{} : blake2b_256(entry.payload); }

void Chain::extend(const Hash256& link, bool applied) {
  std::string input;
  input.reserve(72);
  input += as_view(last_.rolling);
  for (int i = 0; i < 8; ++i) input += static_cast<char>(last_.next >> (8 * i));
  input += as_view(link);
  window_.push_back(last_);
  if (window_.size() > kChainWindow) window_.pop_front();
  last_ = {last_.next + 1, blake2b_256(input), std::nullopt, last_.applied + (applied ? 1 : 0)};
}

const ChainPoint* Chain::at(Offset next) const {
  if (next == last_.next) return &last_;
  if (window_.empty() || next < window_.front().next || next > last_.next) return nullptr;
  return &window_[next - window_.front().next];
}

Chain::Check Chain::check(Offset offset, std::string_view rolling) const {
  if (offset > last_.next) return Check::kWrong;
  if (offset + kChainWindow < last_.next) return Check::kTooOld;
  const ChainPoint* point = at(offset);
  if (point == nullptr) return Check::kTooOld;
  return as_view(point->rolling) == rolling ? Check::kRight : Check::kWrong;
}

std::string Chain::voids(Offset from, Offset to) const {
  VoidRuns runs;
  for (Offset offset = from; offset < to; ++offset) runs.add(at(offset + 1)->applied != at(offset)->applied);
  return runs.bytes();
}

void Chain::restore(std::deque<ChainPoint> points) {
  BERTH_CHECK(!points.empty(), "a chain is restored from at least one point");
  last_ = points.back();
  points.pop_back();
  window_ = std::move(points);
}

}  // namespace berth::projections
