// SnapshotParts: puts a snapshot together that came in parts (P21). Pure; one owner.
//
// Each part is complete about a range of kernel ids, and yet none is obeyed alone: a snapshot lets an agent
// in and says what it should not have, so all of it has to be there.
#pragma once

#include <optional>

#include "events/schema/v1/order.pb.h"

namespace berth::agents {

class SnapshotParts {
 public:
  // The order with the whole snapshot, once its last part has come. A part that does not go on where the one
  // before it ended is left out: an agent whose snapshot stays away asks for another.
  // REQUIRES: the order has a part of a snapshot.
  std::optional<v1::Order> add(v1::Order order);
  static bool is_part(const v1::Snapshot& snapshot) {
    return !snapshot.after().empty() || !snapshot.up_to().empty();
  }

 private:
  bool goes_on(const v1::Order& order) const;

  v1::Order so_far_;  // its `snapshot` is what came, from the first kernel up to its `up_to`
};

}  // namespace berth::agents
