#include "agents/core/snapshot_parts.h"

#include <utility>

#include "agents/core/order_gate.h"

namespace berth::agents {

std::optional<v1::Order> SnapshotParts::add(v1::Order order) {
  v1::Snapshot part;
  part.Swap(order.mutable_snapshot());
  order.clear_snapshot();
  if (part.after().empty()) {
    so_far_ = std::move(order);
    so_far_.mutable_snapshot()->Swap(&part);
  } else if (part.after() == so_far_.snapshot().up_to() &&
             part.join_nonce() == so_far_.snapshot().join_nonce() && goes_on(order)) {
    v1::Snapshot& whole = *so_far_.mutable_snapshot();
    whole.mutable_kernels()->MergeFrom(part.kernels());
    whole.set_up_to(part.up_to());
  } else {
    return std::nullopt;
  }
  if (!so_far_.snapshot().up_to().empty()) return std::nullopt;
  return std::exchange(so_far_, {});
}

bool SnapshotParts::goes_on(const v1::Order& order) const {
  return order.epoch() == so_far_.epoch() && order.election_nonce() == so_far_.election_nonce() &&
         order.incarnation() == so_far_.incarnation() &&
         position_of(order.position()) == position_of(so_far_.position());
}

}  // namespace berth::agents
