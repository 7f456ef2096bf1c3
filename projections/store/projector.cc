#include "projections/store/projector.h"

#include <algorithm>
#include <iterator>

#include "events/base/checks.h"
#include "events/base/edge_errors.h"
#include "projections/store/store_errors.h"

namespace berth::projections {

Projector::Projector(const Uuid& cluster, Store& store, ProjectorOptions options,
                     ProjectionObserver* observer)
    : cluster_(cluster), store_(store), options_(std::move(options)), observer_(observer) {
  BERTH_CHECK(options_.flush_records <= kChainWindow, "a batch must find its chain points in the window");
}

Result<void> Projector::open() {
  Offset not_after = UINT64_MAX;  // newest checkpoint first, then nothing
  for (;;) {
    auto loaded = load(nullptr);
    if (loaded || !must_rebuild(loaded.error())) return loaded;
    warn(loaded.error());
    if (auto reset = store_.reset(not_after); !reset) return reset;
    if (not_after == 0) return load(nullptr);
    not_after = 0;
  }
}

Result<void> Projector::load(const Error* why) {
  auto loaded = load_projection(store_, cluster_, options_.trust);
  if (!loaded) return loaded.error();
  auto usage = UsageMeter::load(store_);
  if (!usage) return usage.error();
  if (observer_ != nullptr) observer_->before_change();
  projection_ = std::move(*loaded);
  projection_->follow_use();
  usage_ = std::move(*usage);
  unsaved_ = {};
  has_unsaved_ = claim_is_wrong_ = false;
  taken_ = checkpoint_at_ = next();
  fresh_ = next() == 0;
  events_taken_ = projection_->counters().events;
  flushed_ = projection_->chain().last();
  flushed_.state_hash = projection_->state_hash();
  verified_ = 0;
  dirty_since_ = 0;
  keep_from_.reset();  // the store may know a bound of records that the log has lost
  bound_history();
  if (observer_ != nullptr) {
    if (why != nullptr) observer_->on_rebuilt(*why, next());
    observer_->after_change();
  }
  return {};
}

Result<void> Projector::rebuild(const Error& why, Offset not_after) {
  warn(why);
  if (auto reset = store_.reset(not_after); !reset) return reset;
  auto loaded = load(&why);
  if (loaded || not_after == 0) return loaded;
  if (auto reset = store_.reset(0); !reset) return reset;
  return load(&why);
}

Projector::Outcome Projector::apply(std::span<const LogEntry> journal, Timestamp now) {
  Outcome outcome;
  if (unsaved_.rows.size() >= options_.unsaved_rows_max)
    return {Next::kBlocked, 0,
            make_error(kDiskFull, "the projection is not written: the disk is full",
                       "free some space; it goes on by itself")};
  if (observer_ != nullptr) observer_->before_change();
  for (const LogEntry& entry : journal) {
    if (entry.offset < next()) continue;
    BERTH_CHECK(entry.offset == next(), "the journal was read with a hole");
    if (!take_in(entry, outcome)) break;
  }
  if (outcome.records > 0 && dirty_since_ == 0) dirty_since_ = std::max<Timestamp>(now, 1);
  bound_history();
  if (observer_ != nullptr) observer_->after_change();
  return outcome;
}

// False: the caller must act first.
bool Projector::take_in(const LogEntry& entry, Outcome& outcome) {
  if (next() - taken_ >= kChainWindow)
    take_changes();  // nobody asked flush_due() for long: the points must not be lost
  ApplyOutcome applied = projection_->apply(entry, claim_is_wrong_);
  switch (applied.what) {
    case ApplyOutcome::What::kMismatch:
      outcome.next = Next::kVerify;
      outcome.error = std::move(applied.error);
      return false;
    case ApplyOutcome::What::kStop:
      outcome.next = Next::kStop;
      outcome.error = std::move(applied.error);
      return false;
    case ApplyOutcome::What::kStateDiffers: state_differs(applied.error, outcome); return false;
    case ApplyOutcome::What::kApplied:
      note_verified();
      meter(entry.offset);
      break;
    case ApplyOutcome::What::kVoid: break;
  }
  claim_is_wrong_ = false;
  ++outcome.records;
  if (observer_ != nullptr) {
    observer_->on_record(entry, applied, *projection_);
    if (next() % kChainEvery == 0) observer_->on_chain_point(projection_->chain().last());
  }
  return true;
}

void Projector::note_verified() {
  for (const auto& event : projection_->record().events())
    if (event.has_chain_head_recorded())
      verified_ = std::max<Offset>(verified_, event.chain_head_recorded().claim().offset());
}

void Projector::meter(Offset offset) {
  usage_.apply(offset, projection_->record().header().time_ns(), projection_->take_use());
}

void Projector::state_differs(const Error& error, Outcome& outcome) {
  outcome.error = error;
  outcome.next = rebuilt_for_state_ ? Next::kStop : Next::kRebuild;
  if (rebuilt_for_state_) {
    const EpochRow& epoch = state().epoch();
    outcome.error.message += "; rebuilt once and it still differs. This build: " + options_.build +
                             "; the leader: " + epoch.controller + " of epoch " + std::to_string(epoch.epoch);
    outcome.error.hint = "run the same build on both; until then this program reads no further";
  }
  rebuilt_for_state_ = true;
}

bool Projector::flush_due(Timestamp now) const {
  if (dirty_since_ == 0) return has_unsaved_;
  return next() - taken_ >= options_.flush_records ||
         projection_->counters().events - events_taken_ >= options_.flush_events ||
         now - dirty_since_ >= options_.flush_every;
}

void Projector::bound_history() {
  const Timestamp from = projection_->state().kept().pruned_before;
  if (from == keep_from_) return;
  store_.keep_history_from(from);
  keep_from_ = from;
  prunes_ = true;
}

Result<void> Projector::prune(Timestamp now) {
  constexpr Duration kPruneEvery = kSecond;
  if (!prunes_ || (pruned_at_ != 0 && now < pruned_at_ + kPruneEvery)) return {};
  if (has_unsaved_ || dirty_since_ != 0) return {};  // sessions that are to go may be among that
  pruned_at_ = now;
  const auto more = store_.prune();
  if (!more) return more.error();
  prunes_ = *more;
  return {};
}

Result<void> Projector::flush() {
  take_changes();
  return save();
}

void Projector::take_changes() {
  std::vector<RowChange> rows;
  std::vector<HistoryEntry> history;
  projection_->flush(rows, history);
  std::move(rows.begin(), rows.end(), std::back_inserter(unsaved_.rows));
  std::move(history.begin(), history.end(), std::back_inserter(unsaved_.history));
  std::ranges::move(usage_.take_rows(), std::back_inserter(unsaved_.views));
  const Chain& chain = projection_->chain();
  for (Offset at = fresh_ ? 0 : taken_ + 1; at <= chain.next(); ++at) unsaved_.chain.push_back(*chain.at(at));
  flushed_ = chain.last();
  flushed_.state_hash = projection_->state_hash();
  unsaved_.events += projection_->counters().events - events_taken_;
  events_taken_ = projection_->counters().events;
  unsaved_.meta = {cluster_, kStoreSchema, flushed_.next, flushed_.rolling, *flushed_.state_hash};
  has_unsaved_ = true;
  fresh_ = false;
  taken_ = chain.next();
  dirty_since_ = 0;
}

Result<void> Projector::save() {
  if (!has_unsaved_) return {};
  if (auto written = store_.write(unsaved_); !written) return written;
  const Offset at = unsaved_.meta.next;
  unsaved_ = {};
  has_unsaved_ = false;
  if (options_.checkpoint_records == 0 || at - checkpoint_at_ < options_.checkpoint_records) return {};
  checkpoint_at_ = at;
  if (auto made = store_.checkpoint(); !made) warn(made.error());  // disposable: the store itself is fine
  return {};
}

}  // namespace berth::projections
