// The fold: the only code that changes a State. Deterministic, decides nothing, and is the guard of the
// journal.
//
// A record applies whole or is void whole, identically for every reader (P5, P7). What it applies it copies;
// a result is never recomputed.
#pragma once

#include <string>
#include <vector>

#include "events/schema/v1/record.pb.h"
#include "projections/tables/state.h"

namespace berth::projections {

// Event `event` (index in its record) means an order to `agent`. The fold keeps each agent's cursor (P21);
// the leader's router turns notes into orders.
struct OrderNote {
  std::string agent;
  Position position;
  Position previous;  // of the agent's order before
  int event = 0;
  bool snapshot = false;  // all that the agent should have, not just this event's
};

// A session that left the state for history, with its kernels (P18).
struct HistoryEntry {
  SessionRow session;
  std::vector<KernelRow> kernels;
};

struct FoldResult {
  enum class Outcome : std::uint8_t { kApplied, kVoid } outcome = Outcome::kVoid;
  // Why void: "epoch", "sequence", "link", "time", "input-range", "dead-epoch", "malformed", or the forbidden
  // event (P7).
  std::string reason;
  bool forbidden = false;  // by the second net: a bug, shown loudly
  bool applied() const { return outcome == Outcome::kApplied; }
};

class Fold {
 public:
  explicit Fold(State& state) : state_(state) {}

  // `link`: BLAKE2b-256 of the record's payload as received. Claims were checked before (chain.h).
  FoldResult apply(const v1::Record& record, const Hash256& link);

  // The same in steps, for the writer of a record: each decision sees the ones before it in its record. add()
  // says why the event is forbidden (empty: applied); then abort() is the only way on. REQUIRES: the header
  // continues the state.
  void open(const v1::RecordHeader& header);
  std::string add(const v1::Event& event);
  void close(const v1::RecordHeader& header, const Hash256& link);
  void abort();

  // Empty if the header continues the state (P5), else why the record is void.
  std::string continues(const v1::RecordHeader& header) const;

  // Of the last applied record.
  const std::vector<OrderNote>& notes() const { return notes_; }
  std::vector<HistoryEntry>& history() { return history_; }

 private:
  void refuse(const v1::RecordHeader& header);
  void expire(Timestamp now);

  State& state_;
  Position next_;  // of the next event of the open record
  Timestamp time_ = 0;
  std::vector<OrderNote> notes_;
  std::vector<HistoryEntry> history_;
};

std::string input_key(std::uint32_t stream, std::uint32_t partition);  // "requests/0"
std::string quarantine_key(std::uint32_t stream, std::uint32_t partition,
                           std::uint64_t offset);  // "requests/0@17"

}  // namespace berth::projections
