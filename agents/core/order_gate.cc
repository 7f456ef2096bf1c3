#include "agents/core/order_gate.h"

#include <algorithm>

namespace berth::agents {
namespace {

constexpr int kPauseGrowthMax = 16;

}  // namespace

OrderPosition position_of(const v1::Position& wire) { return {wire.epoch(), wire.sequence(), wire.index()}; }

v1::Position to_wire(const OrderPosition& position) {
  v1::Position wire;
  wire.set_epoch(position.epoch);
  wire.set_sequence(position.sequence);
  wire.set_index(position.index);
  return wire;
}

void OrderGate::joined(const Uuid& nonce, Timestamp now) {
  open_ = false;
  nonce_ = nonce;
  last_ =
      expected_ = {};  // the nonce tells old snapshots from new ones; a truncated journal may have gone back
  epoch_of_last_ = 0;
  // Epochs go back, too, where the journal lost an election. What an older router still sends cannot name
  // this nonce.
  epoch_ = 0;
  election_ = {};
  gap_ = false;
  asked_ = false;
  ask_pause_ = late_;
  ask_at_ = now + late_;
}

OrderGate::Verdict OrderGate::hear(std::uint64_t epoch, const Uuid& election_nonce) {
  if (epoch < epoch_) return Verdict::kDrop;
  if (epoch == epoch_ && election_nonce != election_) {
    epoch_ = 0;
    election_ = {};
    open_ = false;
    return Verdict::kJoinAnew;
  }
  epoch_ = epoch;
  election_ = election_nonce;
  return Verdict::kObey;
}

OrderGate::Verdict OrderGate::judge(const v1::Order& order, Timestamp now) {
  const auto election = Uuid::from_bytes(order.election_nonce());
  if (!election || order.epoch() == 0) return Verdict::kDrop;
  const Verdict heard = hear(order.epoch(), *election);
  if (heard != Verdict::kObey) return heard;
  const OrderPosition position = position_of(order.position());
  if (order.has_snapshot()) return judge_snapshot(order, position, now);
  if (!open_ || position <= last_) return Verdict::kDrop;
  const OrderPosition previous = position_of(order.previous());
  if (previous < last_ && order.epoch() > epoch_of_last_) return Verdict::kOrdersLost;
  if (previous > last_) {
    want_snapshot(now);
    return Verdict::kStopsOnly;
  }
  last_ = position;
  epoch_of_last_ = order.epoch();
  settle();
  return Verdict::kObey;
}

OrderGate::Verdict OrderGate::judge_snapshot(const v1::Order& order, const OrderPosition& position,
                                             Timestamp now) {
  const auto nonce = Uuid::from_bytes(order.snapshot().join_nonce());
  if (!nonce || nonce->is_nil() || *nonce != nonce_) return Verdict::kDrop;
  // A router of a later election knows what became of all that earlier ones sent, even where that takes
  // positions back.
  if (open_ && position < last_ && order.epoch() == epoch_of_last_) return Verdict::kDrop;
  open_ = true;
  last_ = position;
  epoch_of_last_ = order.epoch();
  gap_ = false;
  ask_at_.reset();
  asked_ = false;
  expect(expected_, now);
  return Verdict::kObey;
}

void OrderGate::settle() {
  if (!open_ || gap_ || expected_ > last_) return;
  ask_at_.reset();
  asked_ = false;
}

void OrderGate::expect(const OrderPosition& newest, Timestamp now) {
  expected_ = std::max(expected_, newest);
  if (!open_ || expected_ <= last_ || ask_at_) return;
  ask_pause_ = late_;
  ask_at_ = now + late_;
}

void OrderGate::want_snapshot(Timestamp now) {
  gap_ = true;
  if (asked_) return;  // its answer is on the way
  ask_pause_ = late_;
  ask_at_ = now;
}

bool OrderGate::take_wish(Timestamp now) {
  if (!ask_at_ || now < *ask_at_) return false;
  asked_ = true;
  ask_at_ = now + ask_pause_;
  ask_pause_ = std::min(ask_pause_ * 2, late_ * kPauseGrowthMax);
  return true;
}

}  // namespace berth::agents
