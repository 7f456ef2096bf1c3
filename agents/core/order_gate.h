// OrderGate: which orders an agent obeys (P21). Pure; one owner.
//
//             joined(nonce)                 snapshot with that nonce
//   closed ---------------------> closed --------------------------> open
//     ^   obeys nothing                     obeys epoch >= seen, position > last; behind a gap stops only
//     +---------------------------------------------------------------+   close(), joined()
//
// An order whose `previous` is newer than the last one obeyed shows a gap: what lies between never arrived.
// Its starts and forgets wait for a snapshot; its stops are harmless and obeyed.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "events/base/clock.h"
#include "events/base/uuid.h"
#include "events/schema/v1/order.pb.h"

namespace berth::agents {

// Where an order stands: its event's epoch, sequence and index (P6). All zero: none.
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
  enum class Verdict : std::uint8_t { kDrop, kObey, kStopsOnly, kJoinAnew };

  // `late`: after which time a missing order, or a missing snapshot, is asked for (D).
  explicit OrderGate(Duration late) : late_(late) {}

  // Joined with this nonce: nothing is obeyed before the snapshot that carries it.
  void joined(const Uuid& nonce, Timestamp now);
  void close() { open_ = false; }
  bool open() const { return open_; }
  const OrderPosition& last() const { return last_; }
  std::uint64_t epoch_seen() const { return epoch_; }
  std::uint64_t epoch_of_last() const { return epoch_of_last_; }

  // The verdict counts the order as obeyed (kObey), so ask once for each. `now`: boottime.
  Verdict judge(const v1::Order& order, Timestamp now);
  // A leader's {epoch, election nonce}, from an order or ack: kDrop (older epoch), kObey, or kJoinAnew (same
  // epoch, other nonce: the election it knew is void; what was seen is forgotten).
  Verdict hear(std::uint64_t epoch, const Uuid& election_nonce);
  // An ack named the newest order sent to this agent.
  void expect(const OrderPosition& newest, Timestamp now);
  // The log threw the reader back: what was between may be lost.
  void want_snapshot(Timestamp now);
  // True when a snapshot is to be asked for now; asks again after `late`, doubling up to 16 times that.
  bool take_wish(Timestamp now);

 private:
  Verdict judge_snapshot(const v1::Order& order, const OrderPosition& position, Timestamp now);
  void settle();  // forgets the wish for a snapshot when nothing is missing any more

  Duration late_;
  bool open_ = false;
  Uuid nonce_;
  std::uint64_t epoch_ = 0;
  Uuid election_;
  OrderPosition last_;
  std::uint64_t epoch_of_last_ = 0;  // of the router that sent it
  OrderPosition expected_;
  bool gap_ = false;                 // only a snapshot heals it
  std::optional<Timestamp> ask_at_;  // something is missing; ask for a snapshot then
  bool asked_ = false;
  Duration ask_pause_ = 0;
};

}  // namespace berth::agents
