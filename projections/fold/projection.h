// Projection: one reader's fold of the journal, from payload bytes to state.
//
// apply() takes the records in offset order. Every reader (leader, standby, API server, auditor) runs this
// code, so a record that is void for one reader is void for all. Not thread-safe. A copy is a snapshot, and
// nobody listens to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "events/base/result.h"
#include "events/codec/journal_signer.h"
#include "events/schema/v1/record.pb.h"
#include "projections/fold/chain.h"
#include "projections/fold/fold.h"
#include "projections/tables/state.h"

namespace berth::projections {

struct ApplyOutcome {
  enum class What : std::uint8_t {
    kApplied,
    kVoid,          // the record has no effect, for every reader alike; `reason` says why
    kMismatch,      // a claim differs from what this reader has read: its copy may not be the log (P12). The
                    // record was not taken in.
    kStateDiffers,  // the record was taken in, but another build's state hash differs under an equal rolling
                    // hash: rebuild, else stop (P12)
    kStop,          // this build must not read on: `error` (P3, P15). The record was not taken in.
  };
  What what = What::kApplied;
  VoidReason reason = VoidReason::kNone;
  Forbidden event;  // of VoidReason::kForbidden: which event, and why
  Error error;
  bool applied() const { return what == What::kApplied; }
  bool forbidden() const { return reason == VoidReason::kForbidden; }
  // Why the record was not applied, for people: the forbidden event, the reason or the error's code.
  std::string text() const;
};

struct Counters {
  std::uint64_t applied = 0;
  std::uint64_t events = 0;
  std::uint64_t voided = 0;
  std::uint64_t forbidden = 0;
};

// Whether a void record (no election) is of another epoch, does not continue its own, or is of nobody who
// leads. Such a record may be late, or the log repeats or skips records. Or this reader's copy is not the
// log: the log lost its tail, with the newest election, and an older leader goes on; or it lost what this
// reader has read and grew again past it by others' bytes. So the caller compares its copy with the log, at
// most every few seconds.
bool is_suspicious(const ApplyOutcome& outcome, const class Projection& projection);

class Projection {
 public:
  // kRows: row changes and the state hash are tracked, for the durable fold. kNone: for the leader's
  // optimistic fold.
  enum class Tracking : std::uint8_t { kNone, kRows };

  Projection(const Uuid& cluster, Tracking tracking, JournalTrust trust = {});
  Projection(const Projection& other);
  Projection& operator=(const Projection&) = delete;

  // REQUIRES: offset == chain().next(). `claim_is_wrong`: the caller read the log again and found that the
  // claim is wrong, not the copy (P12), so the record is void.
  ApplyOutcome apply(Offset offset, std::string_view payload, bool claim_is_wrong = false);
  // The same, of what a reader read there, which may be a gap: a void record for every reader (P30).
  ApplyOutcome apply(const LogEntry& entry, bool claim_is_wrong = false);

  // A record that a signed head says was ignored (P34), to a reader without the cluster's secret: void, as
  // for the cluster.
  void pass_over(const LogEntry& entry);

  // The leader's own record, event by event and before it has an offset (Fold::open and on). The chain is
  // then behind the state until confirm() is called for each such record as it is read back, in order.
  Fold& own() { return fold_; }
  // A record read back that needs no fold: the leader's own, folded already (`applied`), or one that is void
  // in any state.
  void confirm(const Hash256& link, bool applied) { chain_.extend(link, applied); }

  const State& state() const { return state_; }
  State& state_to_load() { return state_; }
  const Chain& chain() const { return chain_; }
  const Uuid& cluster() const { return cluster_; }
  // Whether records that the cluster did not sign are passed over.
  bool verifies() const { return trust_.has_value(); }
  const Counters& counters() const { return counters_; }
  // Of the last applied record; valid until the next apply.
  const v1::Record& record() const { return record_; }
  const std::vector<OrderNote>& notes() const { return fold_.notes(); }
  // State::set_listener; nullptr: nobody listens.
  template <class Listener> void set_listener(Listener listener) { state_.set_listener(listener); }

  // What changed in use by the last applied record (use_log.h), once it is followed.
  void follow_use() { state_.follow_use(); }
  std::vector<UseChange> take_use() { return state_.take_use(); }

  // For a copy that has no store and no state hash, as a leader's: nobody would take its row changes and what
  // left for history.
  void stop_tracking();

  // Takes the row changes and the history entries since the last call. REQUIRES: kRows.
  void flush(std::vector<RowChange>& changes, std::vector<HistoryEntry>& history);
  // Of the state as it is now. REQUIRES: kRows.
  Hash128 state_hash();

  // For a reader of what others have judged: the claims of records are right, but of those that apply() is
  // told are wrong. Such a reader needs no window of the chain before where it begins.
  void believe_claims() { believes_claims_ = true; }

  void restore_chain(std::deque<ChainPoint> points) { chain_.restore(std::move(points)); }
  StateHash& hash_to_load() { return hash_; }

 private:
  void take_in(const ApplyOutcome& outcome, const Hash256& link);
  ApplyOutcome judge(std::string_view payload, bool claim_is_wrong, const Hash256& link);
  bool is_believed(std::string_view payload, const Envelope& envelope) const;
  ApplyOutcome judge_claim(const v1::Record& record, bool claim_is_wrong) const;
  ApplyOutcome judge_head(const v1::ChainHeadRecorded& head) const;
  void take_state_hash();

  Uuid cluster_;
  Tracking tracking_;
  bool believes_claims_ = false;
  JournalTrust trust_;
  State state_;
  Fold fold_;
  Chain chain_;
  StateHash hash_;
  std::vector<RowChange> pending_changes_;  // flushed with the hash at a chain point, before flush()
  v1::Record record_;
  Counters counters_;
};

}  // namespace berth::projections
