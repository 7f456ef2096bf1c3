// Projector: a durable projection, its store, and the times of writing the one to the other.
//
// A projector has no clock, no thread and no I/O except to its store: journal_follower.h reads the log. A
// thread that reads state() while another one drives the projector holds the lock that the observer takes in
// before_change().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "events/log/event_log.h"
#include "projections/store/store.h"
#include "projections/views/usage_meter.h"

namespace berth::projections {

struct ProjectorOptions {
  std::size_t flush_records = 4'000;             // the store is written after so many records at the latest,
  std::uint64_t flush_events = 10'000;           // or so many events,
  Duration flush_every = 200 * kMillisecond;     // or so long after the first of them
  std::uint64_t checkpoint_records = 1'000'000;  // 0: never
  std::size_t unsaved_rows_max = 1'000'000;      // while the disk is full
  std::string build = {};                        // this program's version
  JournalTrust trust = {};                       // which records are believed (P1)
};

// The projector's calls to its owner, on the thread that drives the projector.
class ProjectionObserver {
 public:
  virtual ~ProjectionObserver() = default;
  // The owner takes and releases its write lock here: the state changes only between the two calls.
  virtual void before_change() {}
  virtual void after_change() {}
  // Between the two, after each record, also a void one. `projection.record()` and notes() are of this record
  // if the record applied.
  virtual void on_record(const LogEntry&, const ApplyOutcome&, const Projection&) {}
  // Between the two, at each multiple of kChainEvery: the content of a ChainHeadRecorded (P12).
  virtual void on_chain_point(const ChainPoint&) {}
  // Between the two. The projection was replaced by one that stands at `from`; references to the old state
  // are invalid.
  virtual void on_rebuilt(const Error& /*why*/, Offset /*from*/) {}
  // The projector found an error and is repairing it.
  virtual void on_warning(const Error&) {}
};

class Projector {
 public:
  enum class Next : std::uint8_t {
    kGoOn,
    kVerify,   // the record at next() claims to have read another log (P12): compare with the log, then
               // rebuild() or distrust_claim()
    kRebuild,  // rebuild(verified())
    kBlocked,  // too much is unsaved (disk full): save() again later
    kStop,     // this build must not read on
  };
  struct Outcome {
    Next next = Next::kGoOn;
    std::size_t records = 0;  // taken in
    Error error;
  };

  // `observer` may be null. `store` and `observer` must outlive the projector.
  Projector(const Uuid& cluster, Store& store, ProjectorOptions options, ProjectionObserver* observer);

  // Loads the store; resets a damaged one, with a warning. Codes: other-cluster, store-failed.
  Result<void> open();

  // REQUIRES: open(). Entries before next() are skipped.
  Outcome apply(std::span<const LogEntry> journal, Timestamp now);
  // Marks the claim of the record at next() as wrong.
  void distrust_claim() { claim_is_wrong_ = true; }
  // Starts again from the newest checkpoint up to `not_after`, or from nothing. Code: store-failed.
  Result<void> rebuild(const Error& why, Offset not_after);

  bool flush_due(Timestamp now) const;
  // Writes what changed since the last call, and what a full disk kept back. Codes: disk-full (call again),
  // store-failed.
  Result<void> flush();
  // Removes some of what history keeps no longer, now and then, and for as long as any is left: a cluster in
  // which nothing happens is pruned too. Codes: as flush().
  Result<void> prune(Timestamp now);
  // The point up to which the last flush() took the changes, with its state hash; at first the store's own.
  const ChainPoint& flushed() const { return flushed_; }

  Offset next() const { return projection_->chain().next(); }
  // Up to this offset the leader's state hash agreed with this projection's.
  Offset verified() const { return verified_; }
  // Read-only: the row changes and the state hash are the projector's own, who takes them on its one thread.
  const Projection& projection() const { return *projection_; }
  // State::set_listener, of the projection as it is now: set it again when the observer hears of a rebuild.
  template <class Listener> void set_listener(Listener listener) { projection_->set_listener(listener); }
  const State& state() const { return projection_->state(); }
  const Store& store() const { return store_; }

 private:
  Result<void> load(const Error* why);
  bool take_in(const LogEntry& entry, Outcome& outcome);
  void take_changes();
  Result<void> save();
  void note_verified();
  void bound_history();
  void meter(Offset offset);
  void state_differs(const Error& error, Outcome& outcome);
  void warn(const Error& error) {
    if (observer_ != nullptr) observer_->on_warning(error);
  }

  Uuid cluster_;
  Store& store_;
  ProjectorOptions options_;
  ProjectionObserver* observer_;
  std::unique_ptr<Projection> projection_;
  UsageMeter usage_;
  StoreBatch unsaved_;
  bool has_unsaved_ = false;
  bool claim_is_wrong_ = false;
  bool rebuilt_for_state_ = false;  // a second difference then stops (P12)
  Offset taken_ = 0;                // chain points up to here were put into a batch
  bool fresh_ = true;               // ... not even point 0
  std::uint64_t events_taken_ = 0;  // of the projection's counter, up to taken_
  ChainPoint flushed_;
  Offset checkpoint_at_ = 0;  // offset of the newest checkpoint
  Offset verified_ = 0;
  Timestamp dirty_since_ = 0;           // 0: nothing to write
  std::optional<Timestamp> keep_from_;  // of history, as the store was told
  bool prunes_ = false;                 // the store may have more to remove
  Timestamp pruned_at_ = 0;
};

}  // namespace berth::projections
