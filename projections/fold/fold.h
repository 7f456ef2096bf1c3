// The fold: the only code that changes a State. It is deterministic and decides nothing.
//
// A record applies whole or is void whole, identically for every reader (P5, P7). The fold copies the results
// that an event states and never computes them again. It is the second net, not a second rulebook: what a
// user may ask for is decide's to say (net.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/schema/v1/record.pb.h"
#include "projections/fold/void_reason.h"
#include "projections/tables/state.h"

namespace berth::projections {

// Why the net refuses an event, for people; empty: the event applies.
using Forbidden = std::string;

// Event `event` (index in its record) means an order to `agent`. The fold keeps each agent's cursor (P21);
// the leader's router turns notes into orders.
struct OrderNote {
  std::string agent;
  Position position;
  Position previous;  // of the agent's order before
  int event = 0;
  bool snapshot = false;  // of all that the agent should have, not of this event alone
};

// A session that left the state for history, with its kernels (P18).
struct HistoryEntry {
  SessionRow session;
  std::vector<KernelRow> kernels;
};

struct FoldResult {
  VoidReason reason = VoidReason::kNone;
  Forbidden forbidden;  // of kForbidden: "event 2: the session is not PENDING"
  bool applied() const { return reason == VoidReason::kNone; }
};

class Fold {
 public:
  // `cluster`: which the signatures of chain heads name.
  Fold(State& state, const Uuid& cluster) : state_(state), cluster_(cluster) {}

  // `link`: BLAKE2b-256 of the record's payload as received. Claims were checked before (chain.h).
  FoldResult apply(const v1::Record& record, const Hash256& link);

  // The same in steps, for the writer of a record: each decision sees the decisions before it in its record.
  // After an event that is forbidden, abort() is the only way on. REQUIRES: the header continues the state.
  void open(const v1::RecordHeader& header);
  Forbidden add(const v1::Event& event);
  void close(const v1::RecordHeader& header, const Hash256& link);
  void abort();

  // kNone if the header continues the state (P5), else why the record is void.
  VoidReason continues(const v1::RecordHeader& header) const;

  // Of the last applied record.
  const std::vector<OrderNote>& notes() const { return notes_; }
  std::vector<HistoryEntry>& history() { return history_; }
  // For who has no store: sessions that leave the state are not collected.
  void keep_no_history() { keeps_history_ = false; }

 private:
  void refuse(const v1::RecordHeader& header);
  void expire(Timestamp now);

  State& state_;
  Uuid cluster_;
  Position next_;  // of the next event of the open record
  Timestamp time_ = 0;
  std::vector<OrderNote> notes_;
  std::vector<HistoryEntry> history_;
  bool keeps_history_ = true;
};

std::string input_key(std::uint32_t stream, std::uint32_t partition);  // "requests/0"
InputRow input_row(const State& state, const std::string& partition);  // a new one where there is none
std::string quarantine_key(std::uint32_t stream, std::uint32_t partition,
                           std::uint64_t offset);  // "requests/0@17"

}  // namespace berth::projections
