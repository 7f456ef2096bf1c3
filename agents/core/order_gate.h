// OrderGate: which orders an agent obeys (P21). Pure; one owner.
//
//             joined(nonce)                 snapshot with that nonce
//   closed ---------------------> closed --------------------------> open
//     ^   obeys nothing                     obeys epoch >= seen, position > last; after a gap, stops only
//     +---------------------------------------------------------------+   close(), joined()
//
// An order whose `previous` is newer than the last obeyed order shows a gap: the orders between never
// arrived. From then on starts and forgets wait for a snapshot; stops are harmless and obeyed. A router of a
// later election whose `previous` is older than the last obeyed order does not know that order: the journal
// lost its end, and nobody wants what the order started.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "events/base/clock.h"
#include "events/base/uuid.h"
#include "events/schema/v1/order.pb.h"

namespace berth::agents {

// The place of an order's event: epoch, sequence and index (P6). All zero: none.
struct OrderPosition {
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;
  std::uint32_t index = 0;
  auto operator<=>(const OrderPosition&) const = default;
};
OrderPosition position_of(const v1::Position& wire);
v1::Position to_wire(const OrderPosition& position);

class OrderGate {
 public:
  // kOrdersLost: join anew, because the journal lost orders that were obeyed.
  enum class Verdict : std::uint8_t { kDrop, kObey, kStopsOnly, kJoinAnew, kOrdersLost };

  // `late`: how long a missing order or snapshot is waited for before the agent asks for one (D).
  explicit OrderGate(Duration late) : late_(late) {}

  // The agent joined with this nonce. Nothing is obeyed before the snapshot that carries the nonce.
  void joined(const Uuid& nonce, Timestamp now);
  void close() { open_ = false; }
  bool open() const { return open_; }
  const OrderPosition& last() const { return last_; }
  std::uint64_t epoch_of_last() const { return epoch_of_last_; }

  // A verdict kObey counts the order as obeyed, so judge each order once. `now`: boottime.
  Verdict judge(const v1::Order& order, Timestamp now);
  // A leader's {epoch, election nonce}, from an order or ack: kDrop (older epoch), kObey, or kJoinAnew (same
  // epoch, other nonce: the election that the agent knew is void, and its epoch is forgotten).
  Verdict hear(std::uint64_t epoch, const Uuid& election_nonce);
  // An ack named the newest order sent to this agent.
  void expect(const OrderPosition& newest, Timestamp now);
  // Orders may be missing: only a snapshot tells.
  void want_snapshot(Timestamp now);
  // True if the agent is to ask for a snapshot now. The next time is after `late`, doubling up to 16 times
  // that.
  bool take_wish(Timestamp now);

 private:
  Verdict judge_snapshot(const v1::Order& order, const OrderPosition& position, Timestamp now);
  void settle();  // forgets the wish for a snapshot if nothing is missing any more

  Duration late_;
  bool open_ = false;
  Uuid nonce_;
  std::uint64_t epoch_ = 0;
  Uuid election_;
  OrderPosition last_;
  std::uint64_t epoch_of_last_ = 0;  // of the router that sent the last obeyed order
  OrderPosition expected_;
  bool gap_ = false;                 // until a snapshot
  std::optional<Timestamp> ask_at_;  // when to ask for a snapshot; absent: nothing is missing
  bool asked_ = false;
  Duration ask_pause_ = 0;
};

}  // namespace berth::agents
