// Projection: one reader's fold of the journal, from payload bytes to state.
//
// apply() takes the records in offset order. Every reader (leader, standby, API server, auditor) runs this
// same code, so what is void for one is void for all. Not thread-safe. Copyable (a snapshot).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "events/base/result.h"
#include "events/schema/v1/record.pb.h"
#include "projections/fold/chain.h"
#include "projections/fold/fold.h"
#include "projections/tables/state.h"

namespace berth::projections {

struct ApplyOutcome {
  enum class What : std::uint8_t {
    kApplied,
    kVoid,      // no effect, for every reader alike; `reason` says why
    kMismatch,  // a claim differs from what this reader has read: its copy may not be the log (P12). Nothing
                // was taken in.
    kStateDiffers,  // taken in; but another build's state hash differs under an equal rolling hash: rebuild,
                    // else stop (P12)
    kStop,          // this build must not read on: `error` (P3, P15). Nothing was taken in.
  };
  What what = What::kVoid;
  std::string reason;
  bool forbidden = false;  // void by the second net (P7): a bug
  Error error;
  bool applied() const { return what == What::kApplied; }
};

struct Counters {
  std::uint64_t applied = 0;
  std::uint64_t events = 0;
  std::uint64_t voided = 0;
  std::uint64_t forbidden = 0;
};

// A void record of the current epoch or a later one that does not continue it: either the log repeats or
// skips records, or this reader's copy is not the log (it lost its tail and grew again). Reason to compare,
// not more often than every few seconds.
bool is_suspicious(const ApplyOutcome& outcome, const class Projection& projection);

class Projection {
 public:
  // kRows: row changes and the state hash are tracked (the durable fold). kNone: the leader's optimistic
  // fold.
  enum class Tracking : std::uint8_t { kNone, kRows };

  Projection(const Uuid& cluster, Tracking tracking);
  Projection(const Projection& other);
  Projection& operator=(const Projection&) = delete;

  // REQUIRES: offset == chain().next(). `claim_is_wrong`: the caller re-read the log and found that it is the
  // claim that is wrong (P12), so the record is void.
  ApplyOutcome apply(Offset offset, std::string_view payload, bool claim_is_wrong = false);

  // The leader's own record, event by event and before it has an offset (Fold::open and on). The chain is
  // then behind the state until confirm() is called for each such record as it is read back, in order.
  Fold& own() { return fold_; }
  // A record read back that needs no fold: an own one already folded, or one that is void whatever the state.
  void confirm(const Hash256& link) { chain_.extend(link); }

  const State& state() const { return state_; }
  State& state_to_load() { return state_; }
  const Chain& chain() const { return chain_; }
  const Uuid& cluster() const { return cluster_; }
  const Counters& counters() const { return counters_; }
  // Of the last applied record; valid until the next apply.
  const v1::Record& record() const { return record_; }
  const std::vector<OrderNote>& notes() const { return fold_.notes(); }
  // State::set_listener; nullptr: nobody listens.
  template <class Listener> void set_listener(Listener listener) { state_.set_listener(listener); }

  // Row changes since the last call, with the state hash after them. REQUIRES: kRows.
  void flush(std::vector<RowChange>& changes, std::vector<HistoryEntry>& history);
  // Up to date. REQUIRES: kRows.
  Hash128 state_hash();

  void restore_chain(std::deque<ChainPoint> points) { chain_.restore(std::move(points)); }
  StateHash& hash_to_load() { return hash_; }

 private:
  ApplyOutcome judge(std::string_view payload, bool claim_is_wrong, const Hash256& link);
  ApplyOutcome judge_claim(const v1::Record& record, bool claim_is_wrong) const;
  void take_state_hash();

  Uuid cluster_;
  Tracking tracking_;
  State state_;
  Fold fold_;
  Chain chain_;
  StateHash hash_;
  std::vector<RowChange> pending_changes_;  // flushed early, at a chain point
  v1::Record record_;
  Counters counters_;
};

}  // namespace berth::projections
