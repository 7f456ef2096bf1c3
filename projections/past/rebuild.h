// PastRebuilder: the state of a cell after any record of its journal: the nearest checkpoint before it, or a
// state that is at hand, and the records from there on.
//
// Which way is shorter is learned: the time that loads, copies and folds took before.
//
// It judges records as every reader does, but for their claims (P12), of which the reader of the whole
// journal knows which were wrong. One thread at a time.
#pragma once

#include <functional>
#include <memory>

#include "events/codec/journal_signer.h"
#include "projections/past/checkpoint_db.h"
#include "projections/store/past_state.h"

namespace berth::projections {

class PastRebuilder {
 public:
  struct Parts {
    Uuid cluster;
    JournalTrust trust;
    EventLog& log;
    const CheckpointDb* checkpoints;      // null: there are none
    std::function<bool(Offset)> is_void;  // of records that were judged
    // Without `trust`: of records that the cluster ignored, as its signed heads say (P34).
    std::function<bool(Offset)> is_ignored = [](Offset) { return false; };
  };
  // Of one record, one load and one copy, as they were last; 0: not known yet. Steers work alone, no answer.
  struct Costs {
    Duration record = 0;
    Duration load = 0;
    Duration copy = 0;
  };
  // The shorter way to `next`: from a state at hand after [0, near), or from a checkpoint after [0, loaded).
  static bool copies(const Costs& costs, Offset near, Offset loaded);

  explicit PastRebuilder(Parts parts) : parts_(std::move(parts)) {}

  // After [0, next). `near`: a state at hand, or null; it is copied if that is the shorter way. Calls
  // `progress` with the records folded and to be folded now and then; false: give up. Codes: past-pruned
  // (410), past-failed, stopping, and those of EventLog.
  using Progress = std::function<bool(Offset done, Offset all)>;
  Result<PastPtr> rebuild(Offset next, const PastPtr& near, const Progress& progress) const;

  // The last record at or before the time; of positions [first, end). nullopt: all are later.
  Result<std::optional<PastPoint>> find(Timestamp time, Offset first, Offset end) const;
  // The first record at or after `from` that is not void; nullopt: none before `end`.
  Result<std::optional<PastPoint>> record_at(Offset from, Offset end) const;

 private:
  Result<std::shared_ptr<Projection>> begin(Offset next, const PastPtr& near) const;
  Result<std::shared_ptr<Projection>> load(const PastCheckpoint& checkpoint) const;
  Result<void> fold(Projection& projection, Offset next, const Progress& progress) const;

  Parts parts_;
  mutable Costs costs_;
};

}  // namespace berth::projections
